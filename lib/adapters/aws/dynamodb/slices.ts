import type { Connection } from './connection.ts'

/** So many blobs are read at a time. */
const SLICE = 50

/** Reads of blobs, many at a time. A slice is a call of the connection: where that may call no more, none begins. */
export const createSlices = ({ calling }: Pick<Connection, 'calling'>) => {
  const inSlices = async <T, U>(all: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> => {
    const done: U[] = []
    for (let at = 0; at < all.length; at += SLICE)
      done.push(...(await calling(() => Promise.all(all.slice(at, at + SLICE).map(work)))))
    return done
  }

  /** All of them, in any order: those that are due as `work` makes them, without those that it finds gone. */
  async function* sliced<T extends object>(
    all: AsyncIterable<T>,
    isDue: (one: T) => boolean,
    work: (one: T) => Promise<T | undefined>,
  ): AsyncGenerator<T> {
    const due: T[] = []
    const done = async () => (await inSlices(due.splice(0), work)).filter((one) => one !== undefined)
    for await (const one of all) {
      if (!isDue(one)) yield one
      else if (due.push(one) === SLICE) yield* await done()
    }
    yield* await done()
  }

  return { inSlices, sliced }
}
