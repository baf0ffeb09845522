/** A semaphore of `size` permits; waiters get them in the order they came (FIFO). */
export const createPool = (given: number) => {
  let size = given
  let free = size
  const waiting: (() => void)[] = []
  return {
    /** Resolves to nothing at once when there is room, which keeps the ordinary path free of waiting. */
    acquire: (): Promise<void> | undefined => {
      if (free > 0) {
        free--
        return undefined
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    release: () => {
      const next = free >= 0 ? waiting.shift() : undefined
      if (next) next()
      else free++
    },
    /** From now on there are so many permits; those over it that are held are returned first. */
    resize: (next: number) => {
      free += next - size
      size = next
      while (free > 0 && waiting.length > 0) {
        free--
        waiting.shift()?.()
      }
    },
  }
}

export type Pool = ReturnType<typeof createPool>
