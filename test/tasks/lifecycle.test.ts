import { describe, expect, it } from '@jest/globals'
import { createLifecycle } from '../../lib/tasks/lifecycle.ts'
import { eventOf, TASK_STATUSES, type TaskStatus, type TaskVerb } from '../../lib/tasks/machine.ts'
import { createMessageFor } from '../../lib/tasks/messages.ts'
import { createReconcile } from '../../lib/tasks/reconcile.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createTelling } from '../../lib/tasks/telling.ts'
import { startDomains } from '../fakes/service.ts'
import { storeIn } from './samples.ts'
import { ALLOWED } from './transitions.ts'

const VERBS = Object.keys(eventOf) as TaskVerb[]

const REFUSED = TASK_STATUSES.flatMap((from) =>
  VERBS.filter((verb) => !ALLOWED.some(([state, word]) => state === from && word === verb)).map(
    (verb) => [from, verb] as const,
  ),
)

const started = async (status: TaskStatus) => {
  const domains = await startDomains({ background: false })
  const { id } = await storeIn(domains, status)
  const needs = { ...domains.ports, queue: domains.ports.taskQueue }
  const reconcile = createReconcile(needs)
  const messageFor = createMessageFor(needs)
  const telling = createTelling({ ...needs, reconcile, messageFor })
  return { domains, id, lifecycle: createLifecycle({ ...needs, reconcile, telling }) }
}

describe('the task lifecycle', () => {
  it('has six states and names ten verbs', () => {
    expect(TASK_STATUSES).toEqual(['pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled'])
    expect(ALLOWED.length + REFUSED.length).toBe(6 * 10)
  })

  it.each(ALLOWED)(
    'makes of a %s task that hears %s a %s one, with the event %s',
    async (from, verb, to, event) => {
      const { domains, id, lifecycle } = await started(from)

      const { applied, row } = await lifecycle.move({ taskId: id, from, verb })

      expect({ applied, status: row?.status }).toEqual({ applied: true, status: to })
      expect(await domains.eventTypes(id)).toEqual([event])
      expect(await domains.totals.byStatus()).toMatchObject({ [from]: 0, [to]: 1 })
    },
  )

  it.each(REFUSED)('keeps a %s task that hears %s as it is', async (from, verb) => {
    const { domains, id, lifecycle } = await started(from)

    expect(() => lifecycle.move({ taskId: id, from, verb })).toThrow(`no ${verb} from ${from}`)

    expect((await domains.store.get(tasks, id))?.status).toBe(from)
    expect(await domains.eventTypes(id)).toEqual([])
  })

  it.each(
    ALLOWED.flatMap(([from, verb]) =>
      TASK_STATUSES.filter((actual) => actual !== from).map((actual) => [verb, from, actual] as const),
    ),
  )('does not apply %s from %s to a task that is %s by now', async (verb, from, actual) => {
    const { domains, id, lifecycle } = await started(actual)

    const { applied, row } = await lifecycle.move({ taskId: id, from, verb })

    expect({ applied, status: row?.status }).toEqual({ applied: false, status: actual })
    expect(await domains.eventTypes(id)).toEqual([])
    expect(await domains.totals.byStatus()).toMatchObject({ [actual]: 1 })
  })
})
