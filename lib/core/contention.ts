import { Problem } from './errors.ts'
import { createKeyedMutex } from './keyed-mutex.ts'

type Needs = {
  clock: { after(delayMs: number, call: () => void): unknown }
  /** Bytes that cannot be guessed, so that processes that began together wait for different times. */
  entropy: (bytes: number) => Uint8Array
}

const TRIES = 12
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500
const RETRY_AFTER_MS = 1_000

/** The error when other writers win every time. */
export const busyError = (code: string, message: string) =>
  new Problem('unavailable', code, message, { retryAfterMs: RETRY_AFTER_MS })

/** Resolves to undefined when another writer changed the row first. */
type Attempt<T> = () => Promise<T | undefined>

/**
 * Serializes read-modify-write attempts on one row, or on the row of a key. Attempts of this process take turns. One that
 * lost to another process is repeated, first at once, then after random waits that double up to half a second. Throws
 * `busy` in the end.
 */
export const createContention = ({ clock, entropy }: Needs, busy: () => Problem) => {
  const inTurn = createKeyedMutex()

  const pause = (attempt: number) => {
    const mostMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
    const [byte = 0] = entropy(1)
    return new Promise<void>((resolve) => void clock.after((mostMs * byte) / 255, resolve))
  }

  const repeated = async <T>(attempt: Attempt<T>): Promise<T> => {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 1) await pause(tries - 1)
      const outcome = await attempt()
      if (outcome !== undefined) return outcome
    }
    throw busy()
  }

  return <T>(attempt: Attempt<T>, key = ''): Promise<T> => inTurn(key, () => repeated(attempt))
}
