import { iso } from './time.ts'

type Needs<R, P> = {
  clock: { now(): number }
  rowsAtOnce: number
  /** Reads so many rows at most, after a place in their order or from its beginning. */
  read: (from: { limit: number; after?: P }) => Promise<{ rows: readonly R[]; next: P | undefined }>
  /** `isLater` tells of a time whether it came while the walk went on; one that lies in the future was given so. */
  visit: (rows: readonly R[], isLater: (time?: string) => boolean) => void
}

/** How many rows there were, and in how many steps they were seen. */
export type Walked = { rows: number; steps: number }

const PAGE = 1_000

/** Begins a walk over all rows: each call goes on by so many, and resolves to undefined until it has seen the last. */
export const createWalk = <R, P>({ clock, rowsAtOnce, read, visit }: Needs<R, P>) => {
  const since = iso(clock.now())
  const limit = Math.min(PAGE, rowsAtOnce)
  let after: P | undefined
  let [rows, steps] = [0, 0]
  const isLater = (time = '') => time > since && time <= iso(clock.now())

  return async (): Promise<Walked | undefined> => {
    const until = rows + rowsAtOnce
    do {
      const found = await read({ limit, ...(after === undefined ? {} : { after }) })
      visit(found.rows, isLater)
      rows += found.rows.length
      after = found.next
    } while (after !== undefined && rows < until)
    steps += 1
    return after === undefined ? { rows, steps } : undefined
  }
}
