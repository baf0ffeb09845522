import type { Part } from './markdown-blocks.ts'
import { partAt } from './markdown-part.ts'

export type Asked = { text: string; letters: number }
/** `part` is undefined if the parser failed. */
export type Answered =
  | { kind: 'ready' }
  | { kind: 'slice'; slice: Part }
  | { kind: 'part'; part: Part | undefined }

const answer = (answered: Answered) => postMessage(answered)

const parsed = ({ text, letters }: Asked): Part | undefined => {
  try {
    return partAt(text, 0, { letters, onSlice: (slice) => answer({ kind: 'slice', slice }) })
  } catch {
    // Nesting that overflows the stack.
    return undefined
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => answer({ kind: 'part', part: parsed(data) }))
answer({ kind: 'ready' })
