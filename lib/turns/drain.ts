import { Problem } from '../core/errors.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Clock } from '../ports/clock.ts'

/** The turns that run in this process and that its end waits for. */
export const createDrain = (clock: Clock) => {
  const running = new Set<{ stop(reason: unknown): void; ended: Promise<unknown> }>()
  return {
    /** Does work with a signal that aborts after its time, or when the process ends. */
    withinTime: async <T>(mostMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      using limit = timeLimit(clock, mostMs)
      const ended = work(limit.signal)
      const one = { stop: limit.stop, ended }
      running.add(one)
      try {
        return await ended
      } finally {
        running.delete(one)
      }
    },
    /** Ends the turns in this process: aborts their calls, and stores their partial results with the reason. */
    stopAll: (): void => {
      for (const { stop } of running) stop(shuttingDown())
    },
    /** Resolves when no turn runs in this process. */
    settled: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled([...running].map(({ ended }) => ended))
    },
  }
}

const shuttingDown = () =>
  new Problem('unavailable', 'shutting_down', 'The service is shutting down. Send the message again')
