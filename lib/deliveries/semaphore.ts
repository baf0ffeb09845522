type Limits = { perHost: number; total: number }

/** Counts what runs at the same time, in total and per host: a slow host leaves permits to the others. */
export const createHostSemaphore = ({ perHost, total }: Limits) => {
  const runningOf = new Map<string, number>()
  let running = 0
  return {
    /** Takes a permit for the host and returns the function that releases it; undefined when there is none. */
    acquire: (host: string): (() => void) | undefined => {
      const there = runningOf.get(host) ?? 0
      if (running >= total || there >= perHost) return undefined
      runningOf.set(host, there + 1)
      running += 1
      return () => {
        running -= 1
        const left = (runningOf.get(host) ?? 1) - 1
        if (left === 0) runningOf.delete(host)
        else runningOf.set(host, left)
      }
    },
    isFull: (): boolean => running >= total,
  }
}
