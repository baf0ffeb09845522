/** A semaphore of `size` permits; waiters get them in the order they came (FIFO). */
export const createPool = (given: number) => {
  let size = given
  let free = size
  const waiting: (() => void)[] = []
  return {
    /** Returns undefined at once when a permit is free: the common path needs no await. */
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
    /** Changes the number of permits; permits in use beyond it are not granted again. */
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
