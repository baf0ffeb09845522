import type { Follower, Store, Write } from '../../lib/ports/store.ts'
import type { TaskStatus } from '../../lib/tasks/machine.ts'
import { type TaskRow, tasks } from '../../lib/tasks/rows.ts'
import { ALLOWED, PARKED } from './transitions.ts'

type Step = { from: TaskStatus | undefined; to: TaskStatus }

/**
 * Sees every change of a task's status as it is applied, in order, below the domains: each must leave the state that
 * the one before it led to, and be in the table.
 */
export const createWitness = () => {
  const paths = new Map<string, Step[]>()
  const note = (taskId: string, step: Step) => {
    const path = paths.get(taskId) ?? []
    paths.set(taskId, [...path, step])
  }
  const see = (write: Follower | Write<TaskRow>) => {
    if ('insert' in write && (write.insert as object) === tasks) {
      note(write.row.id, { from: undefined, to: write.row.status })
    }
    if ('update' in write && (write.update as object) === tasks && write.set?.status !== undefined) {
      note(String(write.key), { from: write.when?.status as TaskStatus, to: write.set.status })
    }
  }

  /** A write that reaches the store late, and is seen when it applies. */
  const late = <W extends Store['commit'] | Store['decide']>(write: W, delay: () => Promise<void>): W =>
    (async (
      head: Write<TaskRow>,
      followers: Follower[] | ((row: TaskRow) => Follower[]) = [],
      detail?: boolean,
    ) => {
      await delay()
      // A store asks for the followers when, and only when, the head applied.
      const seen = (row: TaskRow) => {
        const list = typeof followers === 'function' ? followers(row) : followers
        for (const one of [head, ...list]) see(one)
        return list
      }
      return write<TaskRow>(head, seen, detail)
    }) as W

  /** A store whose calls reach the real one late, by as many turns of the event loop as `delay` says. */
  const over = (real: Store, delay: () => Promise<void>): Store => ({
    ...real,
    get: async (...args) => {
      await delay()
      return real.get(...args)
    },
    commit: late(real.commit, delay),
    decide: late(real.decide, delay),
  })

  const faultsOf = (taskId: string, status: TaskStatus): string[] => {
    const path = paths.get(taskId) ?? []
    const faults = path.flatMap(({ from, to }, at) => {
      const before = path[at - 1]?.to
      if (from !== before) return [`${taskId}: ${from} → ${to} after ${before}`]
      const known =
        at === 0 ||
        ALLOWED.some(([left, , led]) => left === from && led === to) ||
        PARKED.some(([left, led]) => left === from && led === to)
      return known ? [] : [`${taskId}: ${from} → ${to}`]
    })
    const last = path.at(-1)?.to
    return last === status ? faults : [...faults, `${taskId}: is ${status}, was left ${last}`]
  }

  return { over, faultsOf }
}
