/** A semaphore for the agent runs of this process: its waiters get the free slots in the order they came (FIFO). */
export const createSemaphore = (size: number) => {
  let free = size
  const waiting: (() => void)[] = []
  return {
    /** Returns undefined at once when a slot is free: the common path needs no await. */
    acquire: (): Promise<void> | undefined => {
      if (free > 0) {
        free--
        return undefined
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    release: () => {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

export type Semaphore = ReturnType<typeof createSemaphore>
