import { Problem } from '../core/errors.ts'
import type { SessionEvent } from './schema.ts'

/** What a reader may fall behind by: after that it is cut off, and goes on with `Last-Event-ID` when it comes back. */
const MOST_BEHIND = 10_000
const MOST_CHARACTERS = 4_000_000

/** One reader of a session that runs in this process: takes events as they come, in batches. */
export type Reader = {
  /** What has come since the last call, or comes next; undefined at the end. Throws Problem `reader_too_slow`. */
  next(): Promise<readonly SessionEvent[] | undefined>
  push(event: SessionEvent, characters: number): void
  /** No further event comes; what is waiting is still read. */
  end(): void
}

export const createReader = (): Reader => {
  let waiting: SessionEvent[] = []
  let characters = 0
  let isOver = false
  let isBehind = false
  let wake: (() => void) | undefined
  const call = () => {
    wake?.()
    wake = undefined
  }
  return {
    push: (event, size) => {
      if (isOver) return
      waiting.push(event)
      characters += size
      if (waiting.length > MOST_BEHIND || characters > MOST_CHARACTERS) {
        waiting = []
        isBehind = true
        isOver = true
      }
      call()
    },
    end: () => {
      isOver = true
      call()
    },
    next: async () => {
      if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
      if (isBehind) throw tooSlow()
      if (waiting.length === 0) return undefined
      const batch = waiting
      waiting = []
      characters = 0
      return batch
    },
  }
}

/** Ends the connection: its reader goes on with what is stored when it comes back. */
const tooSlow = () => new Problem('unavailable', 'reader_too_slow', 'The reader fell too far behind')
