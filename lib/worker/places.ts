import type { RunTask, TaskRow } from '../tasks/schema.ts'
import { CAPS, type Cap, type Caps, type Counted, capText, nameUnder } from './caps.ts'

export type Places = ReturnType<typeof createPlaces>

/** The tasks that run in one process or are claimed from it, counted against the caps. Nothing of it is stored. */
export const createPlaces = ({ caps }: { caps: () => Caps }) => {
  const counts: Record<Cap, Map<string, number>> = {
    perAgent: new Map(),
    perRepository: new Map(),
    perUser: new Map(),
  }
  const running = new Map<string, Counted>()
  /** Messages that were taken, until it is known whether their task runs. */
  const reserved = new Set<RunTask>()
  let freed: (task: Counted) => void = () => undefined

  const add = (task: Counted, change: 1 | -1): void => {
    for (const cap of CAPS) {
      const name = nameUnder(cap, task)
      if (name === undefined) continue
      const count = (counts[cap].get(name) ?? 0) + change
      if (count > 0) counts[cap].set(name, count)
      else counts[cap].delete(name)
    }
    if (change < 0) freed(task)
  }

  /** The number of running tasks, where it has reached the cap. */
  const fullAt = (cap: Cap, task: Counted): number | undefined => {
    const most = caps()[cap]
    const name = most > 0 ? nameUnder(cap, task) : undefined
    const count = name === undefined ? 0 : (counts[cap].get(name) ?? 0)
    return most > 0 && count >= most ? count : undefined
  }

  return {
    /** Calls back with a task that gave up its place. */
    onFreed: (call: (task: Counted) => void): void => {
      freed = call
    },
    /** Whether the tasks of the same agent and user wait. */
    holdsOwner: (message: RunTask): boolean => {
      const task = toCounted(message)
      return fullAt('perAgent', task) !== undefined || fullAt('perUser', task) !== undefined
    },
    /** The repository of the message, where its tasks wait. */
    heldUnder: (message: RunTask): string | undefined =>
      fullAt('perRepository', toCounted(message)) === undefined ? undefined : message.repository,
    /** Takes a place for the message, which `settle` gives back. */
    reserve: (message: RunTask): void => {
      reserved.add(message)
      add(toCounted(message), 1)
    },
    /** The task of the message runs by now, which `follow` has seen, or does not. A repeat changes nothing. */
    settle: (message: RunTask): void => {
      if (reserved.delete(message)) add(toCounted(message), -1)
    },
    /** Notes whether a task runs, as it was last written. One that waits without a process has no lease. */
    follow: ({ id, status, leaseExpiresAt, agent, createdBy, repository }: TaskRow): void => {
      const before = running.get(id)
      const runs = status === 'in_progress' && leaseExpiresAt !== undefined
      if (runs === (before !== undefined)) return
      const task = before ?? { agent, createdBy, repository }
      if (runs) running.set(id, task)
      else running.delete(id)
      add(task, runs ? 1 : -1)
    },
    /** The cap that holds a task back, in words; undefined where none does. */
    capReached: (task: Counted): string | undefined => {
      for (const cap of CAPS) {
        const count = fullAt(cap, task)
        if (count !== undefined) return capText(cap, task, count, caps()[cap])
      }
      return undefined
    },
  }
}

/** A message of an earlier release does not say what it counts toward: it counts as one of its own. */
const toCounted = ({ agent = '', createdBy = '', repository }: RunTask): Counted => ({
  agent,
  createdBy,
  repository,
})
