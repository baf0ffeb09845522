import type { Clock } from '../ports/clock.ts'

/** Longer than the agents' own health checks may take, so that one silent agent does not hide the others. */
export const DEADLINE_MS = 6_000

/** The outcome of `call`, or a rejection once `mostMs` have passed; a call that throws at once rejects too. */
export const within = <T>(
  mostMs: number,
  clock: Pick<Clock, 'after'>,
  call: () => T | Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(mostMs, () => reject(new Error(`no answer within ${mostMs} ms`)))
    Promise.resolve().then(call).then(resolve, reject).finally(cancel)
  })
