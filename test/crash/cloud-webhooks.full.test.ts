import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { type Api, ask, taskApi } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { clockAhead } from '../journeys/service.ts'
import { walk } from './audit.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.CLOUD_WEBHOOK_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const MOST_TASKS_A_LIFE = 8
const LONGEST_LIFE_MS = 3_000
const SLOWEST_ANSWER_MS = 200
/** One event in so many is refused when it is sent first. */
const ONE_REFUSED_IN = 5
/** The lease of a send whose process died. The last sender starts when it is over. */
const LEASE_MS = 60_000
const ARRIVED_WITHIN_MS = 60_000
const EVENTS = ['task.created', 'task.completed']

type Sent = { body: string; answered: boolean }

/** Answers after a while, as long as its caller lives; refuses some at first. */
const startSlowReceiver = async (random: () => number) => {
  const sent: Sent[] = []
  const refused = new Set<string>()
  const receiver = await startReceiver(async (response, { body }) => {
    const one = { body, answered: false }
    sent.push(one)
    await sleep(upTo(SLOWEST_ANSWER_MS, random))
    one.answered = !response.destroyed
    const isRefused = !refused.has(body) && upTo(ONE_REFUSED_IN - 1, random) === 0
    refused.add(body)
    response.writeHead(isRefused ? 500 : 200).end()
  })
  return { receiver, sent }
}

const expectedKeys = ({ id }: Task) => EVENTS.map((event) => `${event} ${id}`)
const deliveryKey = ({ body }: { body: string }) => {
  const { event, payload } = JSON.parse(body)
  return `${event} ${payload.id}`
}

type Log = { deliveries: { status: string }[]; total: number; nextCursor?: string }

/** How many deliveries of the webhook are in which state. */
const deliveryStatuses = async (url: string) => {
  const all: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await ask<Log>(`${url}/deliveries?limit=200${cursor}`)
    all.push(...body.deliveries.map(({ status }) => status))
    if (body.nextCursor === undefined) return all
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
}

let cloud: Cloud
let api: Api
beforeAll(async () => {
  const settings = {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    WEBHOOK_RETRY_DELAYS_MS: '500,500,500,500,60000',
    QUEUE_RETRY_ATTEMPTS: '100',
  }
  cloud = await openCloud(settings, undefined, false)
  api = taskApi(cloud.baseUrl)
})
afterAll(() => cloud[Symbol.asyncDispose]())

/** Senders live and die while tasks are created; resolves to how many sends were under way when one was killed. */
const killSenders = async (sent: readonly Sent[], random: () => number): Promise<number> => {
  let killedWhileSending = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const sender = cloud.launchSender()
    const before = sent.length
    const underWay = () => sent.slice(before).filter(({ answered }) => !answered).length
    const tasks = 1 + upTo(MOST_TASKS_A_LIFE - 1, random)
    await Promise.all(Array.from({ length: tasks }, (_, n) => api.create(scriptedTask(`${kill}-${n}`))))
    // One life in four ends while it starts or at rest, any other while something is on its way.
    const isAtWork = kill % 4 < 3
    while (isAtWork && underWay() === 0) await sleep(5)
    await sleep(upTo(isAtWork ? SLOWEST_ANSWER_MS / 4 : LONGEST_LIFE_MS, random))
    killedWhileSending += underWay()
    await sender.kill9()
  }
  return killedWhileSending
}

const untilTrue = async (isTrue: () => boolean | Promise<boolean>, deadline: number) => {
  while (!(await isTrue()) && performance.now() < deadline) await sleep(300)
}

describe(`webhooks of the cloud whose senders are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'get every event at least once, by one id and the same bytes',
    async () => {
      const random = seededRandom(SEED)
      const { receiver, sent } = await startSlowReceiver(random)
      await using _closing = receiver
      cloud.launchConsumer()
      await cloud.launchWorker().ready
      const { status, body } = await ask<{ webhook: { id: string } }>(
        `${cloud.baseUrl}/api/webhooks`,
        'POST',
        { url: receiver.url, events: EVENTS },
      )
      expect(status).toBe(201)
      const killedWhileSending = await killSenders(sent, random)
      expect(killedWhileSending).toBeGreaterThan(0)

      await cloud.launchSender(clockAhead(LEASE_MS)).ready
      await api.untilIdle()
      const tasks = await walk(api)
      const expected = new Set(tasks.flatMap(expectedKeys))
      const missing = () => [...expected].filter((key) => !sent.some((one) => deliveryKey(one) === key))
      const deadline = performance.now() + ARRIVED_WITHIN_MS
      await untilTrue(() => missing().length === 0, deadline)
      expect(missing()).toEqual([])
      const statuses = () => deliveryStatuses(`${cloud.baseUrl}/api/webhooks/${body.webhook.id}`)
      await untilTrue(async () => (await statuses()).every((one) => one === 'delivered'), deadline)
      expect(await statuses()).toEqual([...expected].map(() => 'delivered'))

      const byKey = Map.groupBy(sent, deliveryKey)
      expect(new Set(byKey.keys())).toEqual(expected)
      for (const sends of byKey.values()) expect(new Set(sends.map(({ body }) => body)).size).toBe(1)
      const figures = { tasks: tasks.length, events: expected.size, again: sent.length - expected.size }
      process.stdout.write(`Webhooks of the cloud: killed ${KILLS} times, ${JSON.stringify(figures)}\n`)
    },
    240_000 + KILLS * 8_000,
  )
})
