import type { Part } from './markdown-blocks.ts'
import { partAt } from './markdown-part.ts'

/** A text whose first part is to be parsed: it ends behind so many letters. */
export type Asked = { text: string; letters: number }
/** That the worker is loaded; one more slice of the part; or the whole part, which is undefined where the parser failed. */
export type Answered =
  | { kind: 'ready' }
  | { kind: 'slice'; slice: Part }
  | { kind: 'part'; part: Part | undefined }

const answer = (answered: Answered) => postMessage(answered)

const parsed = ({ text, letters }: Asked): Part | undefined => {
  try {
    return partAt(text, 0, { letters, onSlice: (slice) => answer({ kind: 'slice', slice }) })
  } catch {
    // Too deep for the stack.
    return undefined
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => answer({ kind: 'part', part: parsed(data) }))
answer({ kind: 'ready' })
