import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { openStorage } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig } from '../../lib/config/config.ts'
import { rowPages } from '../../lib/core/page.ts'
import { iso } from '../../lib/core/time.ts'
import type { Store } from '../../lib/ports/store.ts'
import { type ScheduleRow, schedules } from '../../lib/schedules/rows.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { until } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { launchService } from '../journeys/service.ts'
import { openCloud } from './cloud.ts'
import { seededRandom, upTo } from './random.ts'

const ROUNDS = Math.ceil(Number(process.env.CRASH_KILLS ?? 10) / 10)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const SCHEDULES = 100
const AT_ONCE = 10
/** The first tick comes a second after the start. */
const LONGEST_LIFE_MS = 1_400
const HOUR_MS = 3_600_000

/** Due once a year: a test that takes longer than a minute sees no other due time than those that it makes. */
const scheduleRow = (n: number): ScheduleRow => ({
  id: `sched_${n}`,
  name: `Schedule ${n}`,
  cron: '0 0 1 1 *',
  timezone: 'UTC',
  enabled: true,
  task: { title: `Due ${n}`, priority: 3, labels: [], source: 'api' },
  heavyTask: {},
  revision: 1,
  createdBy: 'user_ann',
  runsAs: 'user_ann',
  createdAt: iso(Date.now() - n),
  updatedAt: iso(Date.now() - n),
})

const inTurns = async (work: (n: number) => Promise<unknown>) => {
  for (let at = 0; at < SCHEDULES; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => work(at + n)))
}

const makeAll = (store: Store) =>
  inTurns((n) => store.commit<ScheduleRow>({ insert: schedules, row: scheduleRow(n) }))

/** One due time that has passed, for each. */
const makeDue = (store: Store, round: number) =>
  inTurns((n) =>
    store.commit<ScheduleRow>({
      update: schedules,
      key: `sched_${n}`,
      set: { nextRunAt: iso(Date.now() - HOUR_MS + round * 60_000) },
    }),
  )

const allRows = async <R extends object>(pages: AsyncIterable<readonly R[]>) => {
  const all: R[] = []
  for await (const rows of pages) all.push(...rows)
  return all
}

/** How many schedules are still due. */
const countDue = (store: Store) =>
  store.count(schedules, { index: 'due', where: [{ field: 'nextRunAt', to: iso(Date.now()) }] })

/** The schedules that made other than `count` tasks, and how many they made. */
const wrongAfter = async (store: Store, count: number) => {
  const newest = { index: 'newest', order: 'asc', limit: 200 } as const
  const made = await allRows(rowPages((at) => store.page(tasks, { ...newest, ...at })))
  const bySchedule = Map.groupBy(made, ({ sourceId }) => sourceId)
  return Array.from({ length: SCHEDULES }, (_, n) => `sched_${n}`).flatMap((id) => {
    const of = bySchedule.get(id)?.length ?? 0
    return of === count ? [] : [`${id} made ${of} tasks, not ${count}`]
  })
}

describe(`schedules of a service that is killed when they are due, CRASH_SEED=${SEED}`, () => {
  it(
    'make one task for each due time, be it before or after the kill',
    async () => {
      const random = seededRandom(SEED)
      // Nobody takes the tasks: what they would do has no part in this.
      using world = scriptedWorld({ QUEUE_CONCURRENCY: '1' })
      const once = async (life: (service: ReturnType<typeof launchService>) => Promise<unknown>) => {
        await using service = launchService({ env: world.env })
        await life(service)
      }
      /** The storage of a service that is not running. */
      const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
        const file = join(world.env.DATA_DIR ?? '', 'service.db')
        const store = openSqliteStore({ file, collections, clock: createClock() })
        try {
          return await work(store)
        } finally {
          await store.close()
        }
      }
      await once((service) => service.ready())
      await inStore(makeAll)
      let cut = 0
      for (let round = 0; round < ROUNDS; round += 1) {
        await inStore((store) => makeDue(store, round))
        for (let left = SCHEDULES, lives = 0; left > 0; lives += 1) {
          await once(async (service) => {
            await service.ready()
            await sleep(lives > 3 ? 5_000 : upTo(LONGEST_LIFE_MS, random))
            await service.kill9()
          })
          left = await inStore(countDue)
          if (left > 0) cut += 1
        }
        expect(await inStore((store) => wrongAfter(store, round + 1))).toEqual([])
      }
      process.stdout.write(`Schedules: ${ROUNDS} due times of ${SCHEDULES}, ${cut} lives too short for one\n`)
    },
    120_000 + ROUNDS * 30_000,
  )
})

const suite = hasDynoxide() ? describe : describe.skip
suite(`schedules of the cloud with three ticks at once, two of which are killed, CRASH_SEED=${SEED}`, () => {
  it(
    'make one task for each due time',
    async () => {
      const random = seededRandom(SEED + 1)
      await using cloud = await openCloud()
      const { store } = openStorage(readConfig())
      await makeAll(store)
      const ticks = [cloud.launchTick(), cloud.launchTick()]
      await Promise.all(ticks.map(({ ready }) => ready))
      for (let round = 0; round < ROUNDS; round += 1) {
        const due = makeDue(store, round)
        await sleep(upTo(300, random))
        const at = round % 2
        await ticks[at]?.kill9()
        ticks[at] = cloud.launchTick()
        await due
        await until(async () => (await countDue(store)) === 0 || undefined)
        expect(await wrongAfter(store, round + 1)).toEqual([])
      }
    },
    120_000 + ROUNDS * 30_000,
  )
})
