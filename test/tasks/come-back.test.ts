import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { taskEvents, tasks } from '../../lib/tasks/rows.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import { databaseForTests } from '../fakes/database.ts'
import { ANN, BODY } from './reconcile-verbs.ts'
import { openWorld, type World } from './reconcile-world.ts'

const database = databaseForTests()
let world: World
beforeEach(async () => {
  world = await openWorld(database().client)
})

const ALL = { limit: 1, offset: 0, status: 'pending' } as const
const pass = () => world.clock.advance(11_000)

/** Storage that takes no word of a dead letter's retry. */
const withoutRetried = (real: Store): Store => ({
  ...real,
  commit: async (...change) => {
    const [head] = change
    const isTold = 'insert' in head && head.insert.name === taskEvents.name
    if (isTold && (head.row as unknown as TaskEvent).type === 'retried')
      throw new Problem('unavailable', 'storage_unavailable', 'not now')
    return real.commit(...change)
  },
})

/** A task that the queue refused. */
const createPending = async () => {
  world.faults.refuse = true
  const { id } = await world.serve().create(ANN, BODY)
  world.faults.refuse = false
  return id
}

const BROKEN = { code: 'broken', message: 'It broke' }
const WAYS = ['started', 'failed'] as const

/** The pending task is queued, fails for good, when it `started` or before, and is pending again by its dead letter. */
const comeBack = async (taskId: string, way: (typeof WAYS)[number]) => {
  const { recovery, runs, letters } = world.serve(withoutRetried)
  const message = { taskId, attempt: 1 }
  pass()
  await recovery.tick(() => false)
  const claim = way === 'started' ? await runs.claim(message) : undefined
  if (claim) await runs.exhaust(claim.task, BROKEN)
  else await runs.undeliverable(message, BROKEN)
  const { items } = await letters.list(ALL as Parameters<typeof letters.list>[0])
  for (const { id } of items) await letters.retry(id)
  world.clock.advance(1_000)
}

/** The types of the events, and how many tasks there are in each state. */
const shown = async () => {
  const { logs, totals } = await world.shown()
  const states = Object.entries(totals).filter(([name]) => name.startsWith('status:'))
  return { types: logs[0]?.events.map(({ type }) => type), states: Object.fromEntries(states) }
}

describe.each(WAYS)(
  'a task that %s and came back to its state while somebody was about to move it',
  (way) => {
    const types = ['created', 'queued', ...(way === 'started' ? ['started'] : []), 'failed', 'retried']

    it('is cancelled with nothing left untold of how it came back', async () => {
      const id = await createPending()
      let reads = 0
      // The first read finds the task, and the second one, which tells what is untold, finds it as it was.
      const returning = (real: Store): Store => ({
        ...real,
        get: async (of, ...place) => {
          const row = await real.get(of, ...place)
          reads += of.name === tasks.name ? 1 : 0
          if (of.name === tasks.name && reads === 2) await comeBack(id, way)
          return row
        },
      })
      expect(await world.serve(returning).cancel(ANN, id)).toMatchObject({ status: 'cancelled' })
      expect(await shown()).toEqual({
        types: [...types, 'cancelled'],
        states: { 'status:cancelled': 1 },
      })
    })

    it('is queued by the tick that tells it, and by none that saw it before', async () => {
      const id = await createPending()
      let isBack = false
      const returning = (real: Store): Store => ({
        ...real,
        commit: async (...change) => {
          const [head] = change
          if ('update' in head && head.update.name === tasks.name && !isBack) {
            isBack = true
            await comeBack(id, way)
          }
          return real.commit(...change)
        },
      })
      pass()
      await world.serve(returning).recovery.tick(() => false)
      expect((await shown()).states).toEqual({ 'status:failed': 1 })
      pass()
      await world.serve().recovery.tick(() => false)
      expect(await shown()).toEqual({
        types,
        states: { 'status:queued': 1 },
      })
    })
  },
)
