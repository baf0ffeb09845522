import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { type Api, ask, taskApi, until } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { clockAhead, launchService, startService } from '../journeys/service.ts'
import { walk } from './audit.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
/** As many tasks as a life of the service makes at most, and how long it lives after the first. */
const TASKS_A_LIFE = 12
const LONGEST_LIFE_MS = 150
const SLOWEST_ANSWER_MS = 120
/** The lease of a send whose process died. The last service starts when it is over. */
const LEASE_MS = 60_000
const HEARD_WITHIN_MS = 60_000
const EVENTS = ['task.created', 'task.completed']

type Envelope = { id: string; event: string; payload: { id: string } }

/** A receiver of two webhooks: one that answers after a while, and one that has nothing but refusals to say. */
const startReceivers = async (random: () => number) => {
  const sent: { path: string; body: string; answered: boolean }[] = []
  const receiver = await startReceiver(async (response, { path, body }) => {
    const one = { path, body, answered: false }
    sent.push(one)
    if (path === '/refused') return void response.writeHead(500).end()
    await sleep(upTo(SLOWEST_ANSWER_MS, random))
    // Whoever is dead by now does not record it.
    one.answered = !response.destroyed
    response.end('ok')
  })
  const bodiesTo = (path: string) => sent.flatMap((one) => (one.path === path ? one.body : []))
  const { origin } = new URL(receiver.url)
  return { sent, bodiesTo, origin, stop: () => receiver[Symbol.asyncDispose]() }
}

const register = async (baseUrl: string, url: string): Promise<string> => {
  const { status, body } = await ask<{ webhook: { id: string } }>(`${baseUrl}/api/webhooks`, 'POST', {
    url,
    events: EVENTS,
  })
  expect(status).toBe(201)
  return body.webhook.id
}

/** What is to be heard of a task that has completed. */
const expectedKeys = ({ id }: Task) => EVENTS.map((event) => `${event} ${id}`)
const deliveryKey = (body: string) => {
  const { event, payload }: Envelope = JSON.parse(body)
  return `${event} ${payload.id}`
}

/** What has not been heard when time is up, or nothing as soon as all has been. */
const missingIn = async (bodies: () => string[], expected: ReadonlySet<string>): Promise<string[]> => {
  const deadline = performance.now() + HEARD_WITHIN_MS
  for (;;) {
    const heard = new Set(bodies().map(deliveryKey))
    const missing = [...expected].filter((key) => !heard.has(key))
    if (missing.length === 0 || performance.now() > deadline) return missing
    await sleep(100)
  }
}

describe(`webhooks of a service that is killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'hear of every change at least once, by one id and the same bytes, and no more once they are deleted',
    async () => {
      const random = seededRandom(SEED)
      const receivers = await startReceivers(random)
      using world = scriptedWorld({
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,60000',
        QUEUE_RETRY_ATTEMPTS: '100',
      })
      const acknowledged: string[] = []
      let killedBetweenSendAndRecord = 0
      let deleted = ''

      const make = async (api: Api) => {
        const made = await api.create({ title: 'Heard of' }).catch(() => undefined)
        if (made) acknowledged.push(made.id)
      }
      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = launchService({ env: world.env })
        const baseUrl = await service.ready()
        if (kill === 0) await register(baseUrl, `${receivers.origin}/kept`)
        if (kill === 0) deleted = await register(baseUrl, `${receivers.origin}/refused`)
        const api = taskApi(baseUrl)
        const before = receivers.bodiesTo('/kept').length
        const made = Array.from({ length: 1 + upTo(TASKS_A_LIFE - 1, random) }, () => make(api))
        // In every other life something is on its way when it ends; else it ends anywhere after the first answer.
        if (kill % 2 === 0) await until(() => receivers.bodiesTo('/kept').length > before || undefined)
        else await Promise.race(made)
        await sleep(upTo(LONGEST_LIFE_MS, random))
        if (kill === KILLS - 1)
          expect((await ask(`${baseUrl}/api/webhooks/${deleted}`, 'DELETE')).status).toBe(200)
        const underway = receivers.sent.filter(({ path, answered }) => path === '/kept' && !answered)
        await service.kill9()
        killedBetweenSendAndRecord += underway.length
        await Promise.all(made)
      }
      const refusedBefore = receivers.bodiesTo('/refused').length
      expect(refusedBefore).toBeGreaterThan(0)

      const nodeArgs = clockAhead(LEASE_MS)
      await using service = await startService({ ...world, nodeArgs })
      const api = taskApi(service.baseUrl)
      await api.untilIdle()
      const tasks = await walk(api)
      expect(tasks.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged))
      const expected = new Set(tasks.flatMap(expectedKeys))
      expect(await missingIn(() => receivers.bodiesTo('/kept'), expected)).toEqual([])

      const bodies = receivers.bodiesTo('/kept')
      const byKey = Map.groupBy(bodies, deliveryKey)
      expect(new Set(byKey.keys())).toEqual(expected)
      for (const sends of byKey.values()) expect(new Set(sends).size).toBe(1)
      expect(killedBetweenSendAndRecord).toBeGreaterThan(0)
      expect(receivers.bodiesTo('/refused')).toHaveLength(refusedBefore)
      const figures = { tasks: tasks.length, heard: expected.size, again: bodies.length - expected.size }
      process.stdout.write(`Webhooks: killed ${KILLS} times, ${JSON.stringify(figures)}\n`)
      await receivers.stop()
    },
    300_000 + KILLS * 4_000,
  )
})
