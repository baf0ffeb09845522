import type { Clock } from '../../../ports/clock.ts'

/** An agent that gives no sign of life for this long is ended. */
export const SILENCE_MS = 600_000
/** After its answer an agent has this long to end. */
export const END_MS = 10_000
/** The longest line that an agent may write. */
export const LARGEST_LINE = 10 * 1_024 * 1_024

/** A timer that calls once nothing has happened for a time; `hold` stops it during work that waits for a person. */
export const createWatchdog = (clock: Clock, ms: number, bark: () => void) => {
  let cancel: (() => void) | undefined
  let held = 0
  const rest = () => {
    cancel?.()
    cancel = undefined
  }
  const start = () => {
    rest()
    if (held === 0) cancel = clock.after(ms, bark)
  }
  return {
    start,
    rest,
    hold: async <T>(work: () => Promise<T>): Promise<T> => {
      held += 1
      rest()
      try {
        return await work()
      } finally {
        held -= 1
        start()
      }
    },
  }
}
