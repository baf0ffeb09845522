import { getOrCreate } from '../core/get-or-create.ts'
import type { Clock } from '../ports/clock.ts'

type Needs = {
  /** Whether a task has ended; undefined when it does not exist. */
  isOver: (taskId: string) => Promise<boolean | undefined>
  clock: Clock
}

/** Another process may end the task, so storage is polled at growing intervals. */
const FIRST_POLL_MS = 250
const LONGEST_POLL_MS = 5_000
const POLL_GROWTH = 1.6

/** Requests of this process that wait for the end of a task. An end in this process resumes them without a poll. */
export const createCompletionWaiters = ({ isOver, clock }: Needs) => {
  const waiting = new Map<string, Set<() => void>>()
  let released = false

  const listen = (taskId: string, resume: () => void) => {
    const listeners = getOrCreate(waiting, taskId, () => new Set())
    listeners.add(resume)
    return () => {
      listeners.delete(resume)
      if (listeners.size === 0) waiting.delete(taskId)
    }
  }

  /** Polls until the task has ended; the returned function stops that. */
  const poll = (taskId: string, resume: () => void) => {
    let cancel: (() => void) | undefined
    let stopped = false
    const ask = async (nextMs: number): Promise<void> => {
      const ended = await isOver(taskId).catch(() => false)
      if (stopped) return
      if (ended === true) return resume()
      const longerMs = Math.min(nextMs * POLL_GROWTH, LONGEST_POLL_MS)
      cancel = clock.after(nextMs, () => void ask(longerMs))
    }
    // The task may have ended before the wait began.
    void ask(FIRST_POLL_MS)
    return () => {
      stopped = true
      cancel?.()
    }
  }

  return {
    complete: (taskId: string): void => {
      for (const resume of [...(waiting.get(taskId) ?? [])]) resume()
    },
    /** Resumes every waiting request, and every later one at once. */
    release: (): void => {
      released = true
      for (const listeners of [...waiting.values()]) for (const resume of [...listeners]) resume()
    },
    /** Resolves when the task has ended, `forMs` have passed, the signal aborts, or all are released. */
    wait: (taskId: string, forMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const cleanups: (() => void)[] = []
        const resume = () => {
          for (const cleanup of cleanups) cleanup()
          resolve()
        }
        if (released || signal?.aborted) return resolve()
        signal?.addEventListener('abort', resume, { once: true })
        cleanups.push(
          () => signal?.removeEventListener('abort', resume),
          clock.after(forMs, resume),
          listen(taskId, resume),
          poll(taskId, resume),
        )
      }),
    get waiting(): number {
      return waiting.size
    },
  }
}
