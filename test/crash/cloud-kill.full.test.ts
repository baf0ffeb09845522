import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { totalDepth } from '../adapters/sqs/emulator.ts'
import { type Api, taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { auditList, rerun, walk } from './audit.ts'
import { type Cloud, type CloudProcess, openCloud } from './cloud.ts'
import { auditCloud, failuresTold } from './cloud-audit.ts'
import { counted, shownCounters } from './counters.ts'
import { halfKeyed, produceDuring } from './producer.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = {
  workers: Number(process.env.CLOUD_KILLS ?? 3),
  gateways: Number(process.env.CLOUD_GATEWAY_KILLS ?? 1),
  consumers: Number(process.env.CLOUD_STREAM_KILLS ?? 2),
}
const ALL_KILLS = Object.values(KILLS).reduce((sum, kills) => sum + kills, 0)
/** No more than a worker takes at once. */
const FREEZES = 3
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const WORKERS = 3
const PRODUCERS = 2
/** Tasks of a producer. A longer backlog shows nothing more of kills, and takes an hour to be worked off and read. */
const MOST_WAITING = 100
/** A consumer finds what came while there was none, and takes a while over that. */
const LONGEST_LIFE_MS = { workers: 100, gateways: 300, consumers: 2_500 }
const MOST_IDLE_MS = 10_000
const AT_ONCE = 4
/** One task in so many is to fail. */
const ONE_FAILS_IN = 5
// A kill costs each task that runs an attempt; with the most there can be, none runs out of them.
const settings = { QUEUE_RETRY_ATTEMPTS: '100', TASK_LEASE_MS: '1000', QUEUE_CONCURRENCY: String(AT_ONCE) }

type Dying<P> = {
  what: keyof typeof KILLS
  alive: P[]
  launch: () => P
  /** Resolves once it has something to do: for a while, since others may take all there is. */
  atWork?: (one: P) => Promise<unknown>
  random: () => number
}

/** Kills one of `alive` again and again, at work or, one time in five, while it starts, and has another take its place. */
const liveAndDie = async <P extends CloudProcess>({
  what,
  alive,
  launch,
  atWork = ({ ready }) => ready,
  random,
}: Dying<P>): Promise<void> => {
  for (let kill = 0; kill < KILLS[what]; kill += 1) {
    const at = upTo(alive.length - 1, random)
    const one = alive[at]
    if (one && random() >= 0.2) await Promise.race([atWork(one).catch(() => undefined), sleep(MOST_IDLE_MS)])
    await sleep(upTo(LONGEST_LIFE_MS[what], random))
    await one?.kill9()
    alive[at] = launch()
  }
}

/** Long enough to be killed in the middle of it, for certain. */
const HELD_MS = 1_500

/** Producers at work while processes live and die; resolves to what they were told, and to the consumer that is left. */
const produceThrough = async ({ baseUrl, journal, launchWorker, launchGateway, launchConsumer }: Cloud) => {
  const gateways = [launchGateway()]
  const consumers = [launchConsumer()]
  const workers = Array.from({ length: WORKERS }, launchWorker)
  const held = await taskApi(baseUrl).create(scriptedTask('Held', { runMs: HELD_MS }))
  const holder = await until(() => journal().find(({ taskId }) => taskId === held.id)?.service)
  const at = workers.findIndex(({ pid }) => pid === holder)
  await workers[at]?.kill9()
  workers[at] = launchWorker()
  const countRuns = (worker: CloudProcess) => journal().filter(({ service }) => service === worker.pid).length
  const atWork = (worker: CloudProcess) => until(async () => countRuns(worker) > 0 || undefined)
  const random = (n: number) => seededRandom(SEED + 10 + n)
  const dying = () =>
    Promise.all([
      liveAndDie({ what: 'workers', alive: workers, launch: launchWorker, atWork, random: random(0) }),
      liveAndDie({ what: 'gateways', alive: gateways, launch: launchGateway, random: random(1) }),
      liveAndDie({
        what: 'consumers',
        alive: consumers,
        launch: launchConsumer,
        random: random(2),
        atWork: ({ fed }) => fed,
      }),
    ])
  const produced = await produceDuring(dying, {
    ...halfKeyed(PRODUCERS),
    seed: SEED + 1,
    oneFailsIn: ONE_FAILS_IN,
    isBehind: (acknowledged) => {
      const begun = new Set(journal().map(({ taskId }) => taskId))
      return acknowledged.filter((id) => !begun.has(id)).length > MOST_WAITING
    },
    address: () => gateways[0]?.address(),
  })
  return { ...produced, acknowledged: [held.id, ...produced.acknowledged], consumer: consumers[0] }
}

const STANDS_STILL_MS = 60_000

/**
 * Every task, once all have ended. A backlog takes as long as it takes; throws when for a minute no task began or ended. The
 * counters, which follow behind, say when to look: walking all tasks again and again would take the emulator from the workers.
 */
const ended = async (api: Api) => {
  let done = 0
  for (let lastDone = performance.now(); ; await sleep(500)) {
    const { pending = 0, queued = 0, in_progress = 0 } = (await api.analytics()).byStatus
    const open = pending + queued + in_progress
    const journal = cloud.journal()
    const begun = new Set(journal.map(({ taskId }) => taskId)).size
    const now = begun + journal.filter(({ did }) => did === 'end').length
    if (now > done) lastDone = performance.now()
    done = now
    const isStuck = performance.now() - lastDone > STANDS_STILL_MS
    if (open > 0 && !isStuck) continue
    const tasks = await walk(api)
    const unfinished = tasks.filter(({ status }) => status !== 'completed' && status !== 'failed')
    if (unfinished.length === 0) return tasks
    if (!isStuck) continue
    const dead = await totalDepth(cloud.stack.sqs, { normal: cloud.stack.queues.deadLetters })
    const some = JSON.stringify(unfinished.slice(0, 5))
    throw new Error(`${unfinished.length} tasks stand still, ${dead} messages were given up: ${some}`)
  }
}

// One for all: the functions of this process keep what they opened.
let cloud: Cloud
beforeAll(async () => {
  cloud = await openCloud(settings)
})
afterAll(() => cloud[Symbol.asyncDispose]())

/** As long a run as a worker stands still for, over its lease: it ends when the worker goes on, and the next one runs then. */
const FROZEN_MS = 3_000

describe('a worker of the cloud that stands still until another one has its tasks', () => {
  it('can neither end them when it goes on, nor write to their logs', async () => {
    const api = taskApi(cloud.baseUrl)
    const consumer = cloud.launchConsumer()
    const early = cloud.launchWorker()
    await early.ready
    const titles = Array.from({ length: FREEZES }, (_, n) => `Frozen ${n}`)
    const script = { manner: 'deaf', runMs: FROZEN_MS } as const
    await Promise.all(titles.map((title) => api.create(scriptedTask(title, script))))
    const starts = (attempt: number) =>
      cloud.journal().filter((run) => run.did === 'start' && run.attempt === attempt)
    await until(() => starts(1).length === FREEZES || undefined)
    const runsEnd = performance.now() + FROZEN_MS
    early.freeze()
    const late = cloud.launchWorker()
    await until(() => (starts(2).length === FREEZES && performance.now() > runsEnd) || undefined)
    early.thaw()

    const tasks = await ended(api)
    const lateEnds = cloud.journal().filter((run) => run.did === 'end' && run.attempt === 1)
    expect(lateEnds.map(({ service }) => service)).toEqual(titles.map(() => early.pid))
    expect(await auditCloud(api, tasks, cloud.journal())).toEqual([])
    // What the agent says as it ends: in the first attempt that is too late.
    for (const { id, attempts } of tasks) {
      const said = (await api.events(id)).filter(({ type }) => type === 'progress')
      expect(said.map(({ attempt }) => attempt)).toEqual([attempts])
    }
    await Promise.all([early.kill9(), late.kill9(), consumer.kill9()])
  })
})

describe(`the cloud while ${JSON.stringify(KILLS)} are killed, CRASH_SEED=${SEED}`, () => {
  it(
    'ends every acknowledged task exactly once, announces every failure, and counts all of it',
    async () => {
      const { acknowledged, refused, consumer } = await produceThrough(cloud)
      expect(refused).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(KILLS.workers)

      const api = taskApi(cloud.baseUrl)
      const tasks = await ended(api)
      expect(auditList(tasks, acknowledged)).toEqual([])
      expect(await auditCloud(api, tasks, cloud.journal())).toEqual([])
      // A run begins once its claim is stored, so no attempt runs twice.
      expect(rerun(cloud.journal())).toEqual([])
      expect(await totalDepth(cloud.stack.sqs, { normal: cloud.stack.queues.deadLetters })).toBe(0)
      const killed = tasks.filter(({ id, attempts }) => attempts > 1 && acknowledged.includes(id))
      expect(killed.length).toBeGreaterThan(0)

      const failed = tasks.flatMap(({ id, status }) => (status === 'failed' ? id : [])).sort()
      expect(failed.length).toBeGreaterThan(0)
      // Of those that the notices were sent for, the messages may still be on their way.
      await until(async () => (await failuresTold()).notifications.length >= failed.length || undefined)
      await consumer?.drained()
      expect(await shownCounters(api)).toEqual(counted(tasks))
      expect(await failuresTold()).toEqual({ letters: failed, notifications: failed, counted: failed.length })
      const figures = { tasks: tasks.length, failed: failed.length, retried: killed.length }
      process.stdout.write(`Killed: ${JSON.stringify(KILLS)}, ${JSON.stringify(figures)}\n`)
    },
    180_000 + ALL_KILLS * 15_000,
  )
})
