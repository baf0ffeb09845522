import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openBasePorts } from '../../lib/app/cloud-base.ts'
import { readConfig } from '../../lib/config.ts'
import { depthOf } from '../adapters/sqs/emulator.ts'
import { type Api, apiOf, until } from '../journeys/api.ts'
import { auditList, rerun, walk } from './audit.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { auditCloud, uncountedOf } from './cloud-audit.ts'
import { counted, shownCounters } from './counters.ts'
import { halfKeyed, produceDuring } from './producer.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.CLOUD_KILLS ?? 20)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const WORKERS = 3
const PRODUCERS = 2
const LONGEST_LIFE_MS = 100
const AT_ONCE = 4
// A kill costs each task that runs an attempt; with the most there can be, none runs out of them.
const settings = { QUEUE_RETRY_ATTEMPTS: '100', TASK_LEASE_MS: '1000', QUEUE_CONCURRENCY: String(AT_ONCE) }
/** What a killed worker had in hand is told when its messages come again; what it left uncounted, once all is quiet. */
const MADE_UP_WITHIN_MS = 60_000

/** Kills a worker `KILLS` times, at work or, one time in five, while it starts, and has another take its place. */
const liveAndDie = async ({ launchWorker }: Cloud, random: () => number) => {
  const workers = Array.from({ length: WORKERS }, launchWorker)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const at = upTo(WORKERS - 1, random)
    const worker = workers[at]
    if (random() >= 0.2) await worker?.ready
    await sleep(upTo(LONGEST_LIFE_MS, random))
    await worker?.kill9()
    workers[at] = launchWorker()
  }
}

/** Producers at work while workers live and die; resolves to what they were told. */
const produceThrough = (cloud: Cloud) =>
  produceDuring(() => liveAndDie(cloud, seededRandom(SEED)), {
    ...halfKeyed(PRODUCERS),
    seed: SEED + 1,
    address: () => cloud.baseUrl,
  })

/** Every task, once all have ended. The counters cannot tell yet: a death may have kept them from being moved. */
const ended = (api: Api) =>
  until(async () => {
    const tasks = await walk(api)
    return tasks.every(({ status }) => status === 'completed' || status === 'failed') ? tasks : undefined
  })

/** Asks until there is nothing left to wait for, or it is time to say what there still is. */
const settled = async <T>(probe: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> => {
  const deadline = performance.now() + MADE_UP_WITHIN_MS
  for (let found = await probe(); ; found = await probe()) {
    if (isDone(found) || performance.now() > deadline) return found
    await sleep(500)
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

describe(`workers of the cloud of which ${KILLS} are killed, CRASH_SEED=${SEED}`, () => {
  it(
    'complete every acknowledged task exactly once, and leave nothing untold and nothing uncounted',
    async () => {
      await using cloud = await openCloud(settings)
      const { acknowledged, refused } = await produceThrough(cloud)
      expect(refused).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(KILLS)

      const api = apiOf(cloud.baseUrl)
      const tasks = await ended(api)
      expect(auditList(tasks, acknowledged)).toEqual([])
      const first = await auditCloud(api, tasks, cloud.journal())
      expect(first.wrong).toEqual([])
      const { wrong, untold } = await settled(
        () => auditCloud(api, tasks, cloud.journal()),
        (audit) => audit.untold.length === 0,
      )
      expect({ wrong, untold }).toEqual({ wrong: [], untold: [] })
      // A run begins once its claim is stored, so no attempt runs twice.
      expect(rerun(cloud.journal())).toEqual([])
      expect(await depthOf(cloud.stack.sqs, { normal: cloud.stack.queues.deadLetters })).toBe(0)
      expect(tasks.some(({ attempts }) => attempts > 1)).toBe(true)

      const wanted = counted(tasks)
      const before = await shownCounters(api)
      const shown = await settled(
        () => shownCounters(api),
        (counters) => isSame(counters, wanted),
      )
      expect(shown).toEqual(wanted)
      const retried = tasks.filter(({ attempts }) => attempts > 1).length
      const late = { untold: first.untold.length, uncounted: uncountedOf(before, tasks) }
      const left = { untold: untold.length, uncounted: uncountedOf(shown, tasks) }
      const { corrections = 0 } = (await openBasePorts(readConfig()).store.tallies('tasks')).all ?? {}
      const figures = { tasks: tasks.length, retried, late, left, corrections }
      process.stdout.write(`Workers killed: ${KILLS}, ${JSON.stringify(figures)}\n`)
    },
    180_000 + KILLS * 4_000,
  )
})
