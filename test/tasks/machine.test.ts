import { describe, expect, it } from '@jest/globals'
import { TASK_STATUSES, type TaskStatus, type TaskVerb, verbEvents } from '../../lib/tasks/machine.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createTransitions } from '../../lib/tasks/transitions.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { startDomains } from '../fakes/service.ts'
import { storeIn } from './samples.ts'
import { ALLOWED } from './transitions.ts'

const VERBS = Object.keys(verbEvents) as TaskVerb[]

const REFUSED = TASK_STATUSES.flatMap((from) =>
  VERBS.filter((verb) => !ALLOWED.some(([state, word]) => state === from && word === verb)).map(
    (verb) => [from, verb] as const,
  ),
)

/** Of all tests in which nothing becomes of a task. */
const shared = forAllTests(
  () => startDomains({ background: false }),
  (domains) => domains[Symbol.asyncDispose](),
)
let stored = 0

const started = async (status: TaskStatus, domains = shared()) => {
  const { id } = await storeIn(domains, status, { id: `task_${stored++}` })
  const ended: string[] = []
  const transitions = createTransitions({
    ...domains.ports,
    sendsNotice: () => false,
    ended: async (task) => void ended.push(`${task.id} ${task.status}`),
  })
  return { domains, id, ended, apply: transitions.apply }
}

describe('the task lifecycle', () => {
  it('has six states and fifteen verbs', () => {
    expect(TASK_STATUSES).toEqual(['pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled'])
    expect(ALLOWED.length + REFUSED.length).toBe(6 * 15)
  })

  it.each(ALLOWED)(
    'makes of a %s task on %s a %s one, with the event %s, in one write',
    async (from, verb, to, event) => {
      await using own = await startDomains({ background: false })
      const { domains, id, ended, apply } = await started(from, own)

      const { applied, row } = await apply({ taskId: id, from, verb })

      expect({ applied, status: row?.status }).toEqual({ applied: true, status: to })
      expect(await domains.eventTypes(id)).toEqual([event])
      expect(await domains.counters.byStatus()).toMatchObject({
        ...(from === to ? {} : { [from]: 0 }),
        [to]: 1,
      })
      expect(ended).toEqual(['completed', 'failed', 'cancelled'].includes(to) ? [`${id} ${to}`] : [])
    },
  )

  it.each(REFUSED)('keeps a %s task on %s as it is', async (from, verb) => {
    const { domains, id, apply } = await started(from)

    await expect(apply({ taskId: id, from, verb })).rejects.toThrow(`no ${verb} from ${from}`)

    expect((await domains.store.get(tasks, id))?.status).toBe(from)
    expect(await domains.eventTypes(id)).toEqual([])
  })

  it.each(
    ALLOWED.flatMap(([from, verb]) =>
      TASK_STATUSES.filter((actual) => actual !== from).map((actual) => [verb, from, actual] as const),
    ),
  )('does not apply %s from %s to a task that is %s by now', async (verb, from, actual) => {
    const { domains, id, ended, apply } = await started(actual)
    const counted = await domains.counters.byStatus()

    const { applied, row } = await apply({ taskId: id, from, verb })

    expect({ applied, status: row?.status }).toEqual({ applied: false, status: actual })
    expect(await domains.eventTypes(id)).toEqual([])
    expect(counted[actual]).toBeGreaterThan(0)
    expect(await domains.counters.byStatus()).toEqual(counted)
    expect(ended).toEqual([])
  })
})
