/** At most `size` holders at once; others wait in the order they came. */
export const createPool = (size: number) => {
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
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

export type Pool = ReturnType<typeof createPool>
