import type { Clock } from '../../ports/clock.ts'

/** One timer that stands for many moments: it rings at the earliest it was set for, and then wants to be set again. */
type Alarm = { set(at: number | undefined): void }

/** An alarm that is not set. Moments are monotonic milliseconds. */
export const createAlarm = (clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void): Alarm => {
  let setFor = Number.POSITIVE_INFINITY
  let cancel: (() => void) | undefined
  const fire = () => {
    setFor = Number.POSITIVE_INFINITY
    ring()
  }
  return {
    set(at) {
      if (at === undefined || at >= setFor) return
      cancel?.()
      setFor = at
      cancel = clock.after(Math.max(0, at - clock.monotonic()), fire)
    },
  }
}
