/** The order of entries of the same time: a task starts before its session, and ends after it. */
type Rank = 'first' | 'between' | 'last'

type Entry = { readonly at: number; readonly rank: number; readonly print: () => void }

const ranks: Readonly<Record<Rank, number>> = { first: 0, between: 1, last: 2 }

/**
 * Prints the entries of several sources in the order of their times, in milliseconds. An entry that comes when a later
 * one was printed already is printed next.
 */
export const createMerge = () => {
  let waiting: Entry[] = []
  let seenUntil = -Infinity
  /** Prints the entries up to a time, for a caller that knows every entry up to it. */
  const printUntil = (last: number) => {
    const due = waiting.filter(({ at }) => at <= last)
    waiting = waiting.filter(({ at }) => at > last)
    for (const { print } of due.sort((a, b) => a.at - b.at || a.rank - b.rank)) print()
  }
  return {
    add: (at: number, rank: Rank, print: () => void) => void waiting.push({ at, rank: ranks[rank], print }),
    printUntil,
    /**
     * Prints the entries up to the newest that the call before had seen. The sources are read between two calls, so an
     * entry of any of them that belongs before has come.
     */
    printSeen: () => {
      printUntil(seenUntil)
      for (const { at } of waiting) seenUntil = Math.max(seenUntil, at)
    },
    printAll: () => printUntil(Infinity),
  }
}
