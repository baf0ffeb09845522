import type { Clock } from '../ports/clock.ts'

type Needs = {
  /** Whether a task has ended; undefined when there is none. */
  isOver: (taskId: string) => Promise<boolean | undefined>
  clock: Clock
}

/** Another process may end the task: then storage is asked, less and less often. */
const FIRST_POLL_MS = 250
const LONGEST_POLL_MS = 5_000
const POLL_GROWTH = 1.6

export type Ends = ReturnType<typeof createEnds>

/** Waiting for tasks to end. Whoever ends one in this process says so, and nobody has to ask. */
export const createEnds = ({ isOver, clock }: Needs) => {
  const waiting = new Map<string, Set<() => void>>()
  let released = false

  const listen = (taskId: string, hear: () => void) => {
    const hearers = waiting.get(taskId) ?? new Set()
    waiting.set(taskId, hearers.add(hear))
    return () => {
      hearers.delete(hear)
      if (hearers.size === 0) waiting.delete(taskId)
    }
  }

  /** Asks again and again; the returned function ends that. */
  const poll = (taskId: string, hear: () => void) => {
    let cancel: (() => void) | undefined
    let over = false
    const ask = async (nextMs: number): Promise<void> => {
      const ended = await isOver(taskId).catch(() => false)
      if (over) return
      if (ended === true) return hear()
      const longerMs = Math.min(nextMs * POLL_GROWTH, LONGEST_POLL_MS)
      cancel = clock.after(nextMs, () => void ask(longerMs))
    }
    // It may have ended before anybody listened.
    void ask(FIRST_POLL_MS)
    return () => {
      over = true
      cancel?.()
    }
  }

  return {
    /** Says that a task has ended. */
    tell: (taskId: string): void => {
      for (const hear of [...(waiting.get(taskId) ?? [])]) hear()
    },
    /** Lets everybody go on who waits, and whoever would from now on. */
    release: (): void => {
      released = true
      for (const hearers of [...waiting.values()]) for (const hear of [...hearers]) hear()
    },
    /** Resolves when the task has ended, `forMs` have passed, the signal aborts or everybody is released. */
    wait: (taskId: string, forMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const endings: (() => void)[] = []
        const go = () => {
          for (const end of endings) end()
          resolve()
        }
        if (released || signal?.aborted) return resolve()
        signal?.addEventListener('abort', go, { once: true })
        endings.push(
          () => signal?.removeEventListener('abort', go),
          clock.after(forMs, go),
          listen(taskId, go),
          poll(taskId, go),
        )
      }),
    /** How many wait. */
    get waiting(): number {
      return waiting.size
    },
  }
}
