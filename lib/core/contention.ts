type Needs = {
  timer: { after(delayMs: number, call: () => void): unknown }
  /** Bytes that cannot be guessed, so that processes that began together wait for different times. */
  entropy: (bytes: number) => Uint8Array
}

const TRIES = 12
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500

/** Answers undefined when another writer was faster. */
type Attempt<T> = () => Promise<T | undefined>

/**
 * Makes writes of one row that are each made from what was read of it. Those of this process take turns. One that
 * another process was faster than is tried again: at once, since most often there are two, then after waits that double
 * up to half a second, of each of which a random part is waited. Resolves to undefined when all tries are used up.
 */
export const createContention = ({ timer, entropy }: Needs) => {
  let last: Promise<unknown> = Promise.resolve()

  const pause = (attempt: number) => {
    const mostMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
    const [byte = 0] = entropy(1)
    return new Promise<void>((resolve) => void timer.after((mostMs * byte) / 255, resolve))
  }

  const tried = async <T>(attempt: Attempt<T>): Promise<T | undefined> => {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 1) await pause(tries - 1)
      const outcome = await attempt()
      if (outcome !== undefined) return outcome
    }
    return undefined
  }

  return <T>(attempt: Attempt<T>): Promise<T | undefined> => {
    const mine = last.then(() => tried(attempt))
    last = mine.catch(() => undefined)
    return mine
  }
}
