import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { taskEvents, tasks } from '../../lib/tasks/rows.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import { seededRandom } from '../crash/random.ts'
import { databaseForTests } from '../fakes/database.ts'
import { ANN, BODY } from './reconcile-verbs.ts'
import { openWorld, type Service, type World } from './reconcile-world.ts'

const database = databaseForTests()
let world: World
beforeEach(async () => {
  world = await openWorld(database().client)
})

const TASKS = 60
const BESIDE_MS = 50
const refused = async () => {
  throw new Problem('unavailable', 'storage_unavailable', 'not now')
}

/** Storage that takes no event of these types, and says so when what was written beside it is done. */
const without =
  (...types: TaskEvent['type'][]) =>
  (real: Store): Store => ({
    ...real,
    commit: (...change) => {
      const [head] = change
      const isEvent = 'insert' in head && head.insert.name === taskEvents.name
      return isEvent && types.includes((head.row as unknown as TaskEvent).type)
        ? sleep(BESIDE_MS).then(refused)
        : real.commit(...change)
    },
  })

/** Storage of which a third of the reads fail. */
const unsteady = (real: Store): Store => {
  const random = seededRandom(1)
  return { ...real, get: (...asked) => (random() < 1 / 3 ? refused() : real.get(...asked)) }
}

const check = async ({ checkCounters }: Service, times: number) => {
  for (let n = 0; n < times; n += 1) {
    world.clock.advance(1_000)
    await checkCounters()
  }
}

/** The types of the events of each task, and what the counters say. */
const shown = async () => {
  const { logs, totals, isCorrected } = await world.shown()
  return { logs: logs.map(({ events }) => events.map(({ type }) => type)), total: totals.total, isCorrected }
}

describe('a create of which storage took the task and not what follows', () => {
  it.each<[TaskEvent['type']]>([['created'], ['queued']])(
    'is told and counted by the check of the counters, without "%s"',
    async (type) => {
      await world.serve(without(type)).create(ANN, BODY)
      await check(world.serve(), 4)
      expect(await shown()).toEqual({ logs: [['created', 'queued']], total: 1, isCorrected: false })
    },
  )

  it('is told and counted, one of many, although storage refuses the check many of its reads', async () => {
    const failing = world.serve(without('created', 'queued'))
    await Promise.allSettled(Array.from({ length: TASKS }, () => failing.create(ANN, BODY)))
    await check(world.serve(unsteady), 60)
    expect(await shown()).toEqual({
      logs: Array(TASKS).fill(['created', 'queued']),
      total: TASKS,
      isCorrected: false,
    })
  })
})

const WARNING = { level: 'warn', message: 'the task is stored, its events and totals follow later' }

describe('what took effect although storage refused what follows', () => {
  const typesOf = async (id: string) => (await world.serve().events(id)).events.map(({ type }) => type)
  /** A task of a moment ago, so that its events are older than what follows. */
  const created = async () => {
    const { id } = await world.serve().create(ANN, BODY)
    world.clock.advance(1_000)
    return id
  }
  const laterTick = async () => {
    world.clock.advance(11_000)
    await world.serve().recovery.tick(() => false)
  }
  /** Takes every message there is, as workers do. */
  const takeAll = async () => {
    world.clock.advance(1_000)
    const { runs } = world.serve()
    for (const message of world.sent.splice(0)) await runs.claim(message)
  }

  it('is no failure of a create: its message comes once more, and the one that is too late tells it', async () => {
    const service = world.serve(without('created', 'queued'))
    const { id, status } = await service.create(ANN, BODY)
    expect(status).toBe('queued')
    expect(service.log.entries).toMatchObject([WARNING])
    expect(world.sent).toEqual([1, 2].map(() => ({ taskId: id, attempt: 1 })))
    await takeAll()
    expect(await typesOf(id)).toEqual(['created', 'queued', 'started'])
    const { totals, daily } = await world.shown()
    expect(totals).toMatchObject({ total: 1, 'status:in_progress': 1 })
    expect(Object.values(daily)).toEqual([{ created: 1 }])
  })

  it('is no failure of a create that the queue refused, too: the tick tells and queues it', async () => {
    world.faults.refuse = true
    const { id, status } = await world.serve(without('created')).create(ANN, BODY)
    world.faults.refuse = false
    expect(status).toBe('pending')
    await laterTick()
    expect(await typesOf(id)).toEqual(['created', 'queued'])
  })

  it('is no failure of a create under a key', async () => {
    const { task } = await world.serve(without('created')).createOnce(ANN, BODY, 'key')
    await laterTick()
    expect(await typesOf(task.id)).toEqual(['created', 'queued'])
    expect(world.sent).toEqual([{ taskId: task.id, attempt: 1 }])
  })

  it('is no failure of a retry, which leaves its note later', async () => {
    const id = await created()
    await world.serve().cancel(ANN, id)
    world.clock.advance(1_000)
    const again = await world.serve(without('created', 'retried')).retry(ANN, id)
    await takeAll()
    expect(await typesOf(again.id)).toEqual(['created', 'queued', 'started'])
    expect(await typesOf(id)).toEqual(['created', 'queued', 'cancelled', 'retried'])
  })

  it.each([
    ['pending', ['created', 'queued']],
    ['completed', ['created']],
  ])('is no failure of an import of a %s task', async (status, types) => {
    const at = '2035-01-01T00:00:00.000Z'
    const given = { ...BODY, id: 'old-1', status, createdAt: at, updatedAt: at, completedAt: at }
    const results = await world.serve(without('created')).importAll(ANN, { tasks: [given] } as never)
    expect(results).toEqual({ imported: 1, skipped: 0, errors: [] })
    await takeAll()
    await laterTick()
    expect(await typesOf('old-1')).toEqual(types)
  })

  it('is no failure of a cancel', async () => {
    const id = await created()
    const service = world.serve(without('cancelled'))
    expect(await service.cancel(ANN, id)).toMatchObject({ status: 'cancelled' })
    expect(service.log.entries).toMatchObject([WARNING])
    await takeAll()
    expect(await typesOf(id)).toEqual(['created', 'queued', 'cancelled'])
    expect((await world.shown()).totals).toMatchObject({ 'status:cancelled': 1 })
  })

  it('is left to the check of the counters when the queue takes no message either', async () => {
    const id = await created()
    const service = world.serve(without('cancelled'))
    world.faults.refuse = true
    expect(await service.cancel(ANN, id)).toMatchObject({ status: 'cancelled' })
    expect(service.log.entries).toMatchObject([WARNING, { level: 'warn' }])
    await check(world.serve(), 4)
    expect(await typesOf(id)).toEqual(['created', 'queued', 'cancelled'])
  })

  describe('and whose answer was lost', () => {
    /** Storage that takes what is done to tasks, or not even that, and does not say so. */
    const silent =
      (takes: boolean) =>
      (real: Store): Store => {
        const commit: Store['commit'] = async (...change) => {
          const [head] = change
          const isTask = ('insert' in head && head.insert.name === tasks.name) || 'update' in head
          if (takes || !isTask) await real.commit(...change)
          return isTask ? refused() : real.commit(...change)
        }
        const decide = async (...change: Parameters<Store['decide']>) => ({
          ...(await commit(...change)),
          durable: Promise.resolve(),
        })
        return { ...real, commit, decide } as Store
      }

    it('is no failure of a create', async () => {
      const { id } = await world.serve(silent(true)).create(ANN, BODY)
      expect(await typesOf(id)).toEqual(['created', 'queued'])
    })

    it('is no failure of a cancel', async () => {
      const id = await created()
      expect(await world.serve(silent(true)).cancel(ANN, id)).toMatchObject({ status: 'cancelled' })
      expect(await typesOf(id)).toEqual(['created', 'queued', 'cancelled'])
    })

    it('is one where storage took nothing', async () => {
      const service = world.serve(silent(false))
      const id = await created()
      await expect(service.create(ANN, BODY)).rejects.toMatchObject({ kind: 'unavailable' })
      await expect(service.cancel(ANN, id)).rejects.toMatchObject({ kind: 'unavailable' })
      expect((await world.shown()).logs).toHaveLength(1)
    })
  })
})
