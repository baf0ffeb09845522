import { Problem } from './errors.ts'

/** Hands items over to one reader, which takes them in batches. It may fall behind by so many, and so large, items. */
export const createPushReader = <T>(
  mostItems = Number.POSITIVE_INFINITY,
  mostSize = Number.POSITIVE_INFINITY,
) => {
  let waiting: T[] = []
  let waitingSize = 0
  let isOver = false
  let isBehind = false
  let wake: (() => void) | undefined
  const call = () => {
    wake?.()
    wake = undefined
  }
  return {
    push: (item: T, size = 0): void => {
      if (isOver) return
      waiting.push(item)
      waitingSize += size
      if (waiting.length > mostItems || waitingSize > mostSize) {
        waiting = []
        isBehind = true
        isOver = true
      }
      call()
    },
    /** No further items follow; the reader still gets those that wait. */
    end: (): void => {
      isOver = true
      call()
    },
    /** The items since the last call, or the next ones; undefined at the end. Throws Problem `reader_too_slow`. */
    next: async (): Promise<readonly T[] | undefined> => {
      if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
      if (isBehind) throw new Problem('unavailable', 'reader_too_slow', 'The reader fell too far behind')
      if (waiting.length === 0) return undefined
      const batch = waiting
      waiting = []
      waitingSize = 0
      return batch
    },
  }
}
