/** At most `size` holders at once; others wait in the order they came. */
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
    /** From now on so many hold it at once; holders over it leave first. */
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
