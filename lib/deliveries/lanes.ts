type Width = { perHost: number; all: number }

/** Room for what goes on at the same time, in all and towards one host. */
export type Lanes = ReturnType<typeof createLanes>

/** However slowly one host takes what it is sent, there is room left for the others. */
export const createLanes = ({ perHost, all }: Width) => {
  const busy = new Map<string, number>()
  let total = 0
  return {
    /** Takes room for one towards the host and answers how to give it back; undefined when there is none. */
    enter: (host: string): (() => void) | undefined => {
      const there = busy.get(host) ?? 0
      if (total >= all || there >= perHost) return undefined
      busy.set(host, there + 1)
      total += 1
      return () => {
        total -= 1
        const left = (busy.get(host) ?? 1) - 1
        if (left === 0) busy.delete(host)
        else busy.set(host, left)
      }
    },
    isFull: (): boolean => total >= all,
  }
}
