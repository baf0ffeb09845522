import type { AnyWrite, Store } from '../../lib/ports/store.ts'
import type { TaskStatus } from '../../lib/tasks/machine.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { ALLOWED } from './transitions.ts'

type Step = { from: TaskStatus | undefined; to: TaskStatus }

/**
 * Sees every change of a task's status that is applied, in order, below the domains: each must leave the state that
 * the one before it led to, and be in the table.
 */
export const createWitness = () => {
  const paths = new Map<string, Step[]>()
  const note = (taskId: string, step: Step) => {
    const path = paths.get(taskId) ?? []
    paths.set(taskId, [...path, step])
  }
  const see = (write: AnyWrite) => {
    if ('insert' in write && write.insert === tasks)
      note(write.row.id, { from: undefined, to: write.row.status })
    if ('update' in write && write.update === tasks && write.set?.status !== undefined)
      note(String(write.key), { from: write.when?.status as TaskStatus, to: write.set.status })
  }

  /** A store whose calls reach the real one late, by as many turns of the event loop as `delay` says. */
  const over = (real: Store, delay: () => Promise<void>): Store => ({
    ...real,
    get: async (...args) => {
      await delay()
      return real.get(...args)
    },
    commit: async (head, rows = [], detail = false) => {
      await delay()
      const outcome = await real.commit(head, rows, detail)
      // Storage resolves its commits in the order in which it has decided them.
      if (outcome.applied) for (const one of [head, ...rows]) see(one)
      return outcome
    },
  })

  const pathFaults = (taskId: string, status: TaskStatus): string[] => {
    const path = paths.get(taskId) ?? []
    const faults = path.flatMap(({ from, to }, at) => {
      const before = path[at - 1]?.to
      if (from !== before) return [`${taskId}: ${from} → ${to} after ${before}`]
      const known = at === 0 || ALLOWED.some(([left, , led]) => left === from && led === to)
      return known ? [] : [`${taskId}: ${from} → ${to}`]
    })
    const last = path.at(-1)?.to
    return last === status ? faults : [...faults, `${taskId}: is ${status}, was left ${last}`]
  }

  return { over, pathFaults }
}
