import { randomInt } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import { totalDepth } from '../adapters/sqs/emulator.ts'
import { type Api, ask, taskApi } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { auditList, rerun, walk } from './audit.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { auditCloud, failuresTold } from './cloud-audit.ts'
import { counted, shownCounters } from './counters.ts'
import { insisting, settled } from './insist.ts'
import { seededRandom, upTo } from './random.ts'
import { openUnreliable } from './unreliable.ts'

const TASKS = Number(process.env.CLOUD_FAULT_TASKS ?? 40)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const SHARE = 0.3
const MOST_CALLS = 4
/** The first requests share the opening of the function, and are refused together when that fails. */
const AT_ONCE = 8
const READERS = 16
const LONGEST_RUN_MS = 40
/** One prompt in so many is too long for a row, and lies in S3. */
const LONG = 20
/** One in so many is to fail. */
const FAILS = 5
const LONG_PROMPT = 'x'.repeat(40_000)
/** Of a message without a task; they take half a minute, where the ten that are deployed take nine. */
const RECEIVES = 5
const WITHIN_MS = 30_000 + TASKS * 200
/** A message that the last function fails over stays away twice as long each time, up to five minutes. */
const EMPTY_WITHIN_MS = WITHIN_MS + 300_000
const settings = {
  LOG_LEVEL: 'silent',
  QUEUE_RETRY_ATTEMPTS: '100',
  TASK_LEASE_MS: '1000',
  QUEUE_CONCURRENCY: '15',
}

/** Creates all tasks. Every second one has a key, and is sent until it is acknowledged; of the others a refusal is the end. */
const createAll = async (baseUrl: string) => {
  const random = seededRandom(SEED + 1)
  const bodies = Array.from({ length: TASKS }, (_, n) => ({
    ...scriptedTask(`task-${n}`, {
      runMs: upTo(LONGEST_RUN_MS, random),
      ...(n % FAILS === 1 ? { manner: 'failing' as const } : {}),
    }),
    priority: 1 + upTo(3, random),
    key: n % 2 === 0,
    ...(n % LONG < 2 ? { prompt: LONG_PROMPT } : {}),
  }))
  const acknowledged: string[] = []
  const refused: { title: string; status: number }[] = []
  const create = async () => {
    for (let next = bodies.pop(); next; next = bodies.pop()) {
      const { key, ...body } = next
      const headers = key ? { 'idempotency-key': body.title } : {}
      const answer = await ask<{ task: Task }>(`${baseUrl}/api/tasks`, 'POST', body, headers)
      if (answer.status === 201) acknowledged.push(answer.body.task.id)
      else if (key) bodies.push(next)
      else refused.push({ title: body.title, status: answer.status })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, create))
  return { acknowledged, refused }
}

const isOver = ({ status }: Task) => status === 'completed' || status === 'failed'

/** Every task, once all that were acknowledged are there and all have ended. */
const ended = (api: Api, acknowledged: readonly string[]) =>
  settled(
    WITHIN_MS,
    () => walk(api),
    (tasks) => {
      const over = new Set(tasks.filter(isOver).map(({ id }) => id))
      return over.size === tasks.length && acknowledged.every((id) => over.has(id))
    },
  )

/** As `auditCloud`, by several readers: most of what a read takes is waiting. */
const audited = async (api: Api, tasks: readonly Task[], cloud: Cloud): Promise<string[]> => {
  const journal = cloud.journal()
  const parts = Array.from({ length: READERS }, (_, at) => tasks.filter((_task, n) => n % READERS === at))
  return (await Promise.all(parts.map((part) => auditCloud(api, part, journal)))).flat()
}

/** Notes when each part of the run was over, for whoever reads the figures. */
const startStopwatch = () => {
  const began = performance.now()
  const times: Record<string, number> = {}
  const mark = (name: string) => {
    times[name] = Math.round(performance.now() - began)
  }
  return { times, mark }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

describe(`the cloud while ${SHARE * 100} % of all calls of AWS fail, CRASH_SEED=${SEED}`, () => {
  it(
    `ends ${TASKS} tasks once each, announces every failure, counts all of it, and keeps nothing of what it refused`,
    async () => {
      const { times, mark } = startStopwatch()
      await using ways = openUnreliable({ share: SHARE, random: seededRandom(SEED) })
      await using cloud = await openCloud(settings, ways.reach)
      await cloud.takeDeadLetters(RECEIVES)
      const consumer = cloud.launchConsumer()
      await Promise.all([consumer, cloud.launchWorker(), cloud.launchWorker()].map(({ ready }) => ready))
      mark('open')
      const { acknowledged, refused } = await createAll(cloud.baseUrl)
      mark('created')
      expect(acknowledged.length).toBeGreaterThan(TASKS * 0.8)
      expect(refused.filter(({ status }) => status !== 503)).toEqual([])

      const api = insisting(taskApi(cloud.baseUrl))
      const tasks = await ended(api, acknowledged)
      mark('ended')
      expect(auditList(tasks, acknowledged)).toEqual([])
      expect(await audited(api, tasks, cloud)).toEqual([])
      mark('audited')
      expect(rerun(cloud.journal())).toEqual([])

      const { tasks: normal, urgent, deadLetters } = cloud.stack.queues
      const left = async () =>
        (await totalDepth(cloud.stack.sqs, { normal, urgent })) +
        (await totalDepth(cloud.stack.sqs, { normal: deadLetters }))
      expect(await settled(EMPTY_WITHIN_MS, left, (depth) => depth === 0)).toBe(0)
      mark('emptied')
      const there = new Set(tasks.map(({ title }) => title))
      // What was refused and is not there has left nothing: no message is sent before its row is stored.
      const failures = tasks.flatMap(({ id, status }) => (status === 'failed' ? id : [])).sort()
      expect(failures.length).toBeGreaterThan(0)
      const wanted = { letters: failures, notifications: failures, counted: failures.length }
      await settled(WITHIN_MS, failuresTold, (told) => isSame(told, wanted))
      await consumer.drained()
      mark('counted')
      expect(await failuresTold()).toEqual(wanted)
      expect(await shownCounters(api)).toEqual(counted(tasks))

      const { calls, failed } = ways.told
      const figures = {
        calls,
        failed,
        mostCalls: ways.mostCalls(),
        tasks: tasks.length,
        acknowledged: acknowledged.length,
        refused: refused.length,
        stored: refused.filter(({ title }) => there.has(title)).length,
        failures: failures.length,
        retried: tasks.filter(({ attempts }) => attempts > 1).length,
        times,
      }
      process.stdout.write(`Calls of AWS that failed: ${JSON.stringify(figures)}\n`)
      expect(failed / calls).toBeGreaterThan(SHARE - 0.05)
      expect(ways.mostCalls()).toBeLessThanOrEqual(MOST_CALLS)
    },
    4 * WITHIN_MS + EMPTY_WITHIN_MS,
  )
})
