import { Problem } from './errors.ts'

type Timer = { after(delayMs: number, call: () => void): unknown }

const WAITS_MS = [50, 250, 1_000]

/** Calls; repeats a call that failed with Problem `unavailable` up to three times, then throws. */
export const retry = async <T>(call: () => Promise<T>, timer: Timer): Promise<T> => {
  for (const waitMs of WAITS_MS) {
    try {
      return await call()
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.kind !== 'unavailable') throw thrown
      await new Promise<void>((resolve) => timer.after(waitMs, resolve))
    }
  }
  return call()
}
