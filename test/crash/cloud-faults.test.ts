import { randomInt } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { openBasePorts } from '../../lib/app/cloud-base.ts'
import { readConfig } from '../../lib/config.ts'
import type { DlqItem } from '../../lib/queue/schema.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { depthOf } from '../adapters/sqs/emulator.ts'
import { type Api, apiOf, ask } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { auditList, rerun, walk } from './audit.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { auditCloud, type CloudAudit } from './cloud-audit.ts'
import { counted, shownCounters } from './counters.ts'
import { insist, insisting, settled } from './insist.ts'
import { seededRandom, upTo } from './random.ts'
import { openUnreliable } from './unreliable.ts'

const TASKS = Number(process.env.CLOUD_FAULT_TASKS ?? 100)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const SHARE = 0.3
const MOST_CALLS = 4
const AT_ONCE = 25
const READERS = 16
const LONGEST_RUN_MS = 40
/** One prompt in so many is too long for a row, and lies in S3. */
const LONG = 20
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
    ...scriptedTask(`task-${n}`, { runMs: upTo(LONGEST_RUN_MS, random) }),
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
const audited = async (api: Api, tasks: readonly Task[], cloud: Cloud): Promise<CloudAudit> => {
  const journal = cloud.journal()
  const parts = Array.from({ length: READERS }, (_, at) => tasks.filter((_task, n) => n % READERS === at))
  const audits = await Promise.all(parts.map((part) => auditCloud(api, part, journal)))
  return { wrong: audits.flatMap(({ wrong }) => wrong), untold: audits.flatMap(({ untold }) => untold) }
}

const lettersOf = async (baseUrl: string): Promise<DlqItem[]> =>
  (
    await settled(
      WITHIN_MS,
      () => ask<{ items: DlqItem[] }>(`${baseUrl}/api/dlq?limit=200`),
      ({ status }) => status === 200,
    )
  ).body.items

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
    `completes ${TASKS} tasks once each, tells and counts all of them, and keeps nothing of what it refused`,
    async () => {
      const { times, mark } = startStopwatch()
      await using ways = openUnreliable({ share: SHARE, random: seededRandom(SEED) })
      await using cloud = await openCloud(settings, ways.reach)
      await cloud.takeDeadLetters(RECEIVES)
      await Promise.all([cloud.launchWorker().ready, cloud.launchWorker().ready])
      mark('open')
      const { acknowledged, refused } = await createAll(cloud.baseUrl)
      mark('created')
      expect(acknowledged.length).toBeGreaterThan(TASKS * 0.8)
      expect(refused.filter(({ status }) => status !== 503)).toEqual([])

      const api = insisting(apiOf(cloud.baseUrl))
      const tasks = await ended(api, acknowledged)
      mark('ended')
      expect(auditList(tasks, acknowledged)).toEqual([])
      const audit = await settled(
        WITHIN_MS,
        () => audited(api, tasks, cloud),
        ({ wrong, untold }) => wrong.length + untold.length === 0,
      )
      mark('audited')
      expect(audit).toEqual({ wrong: [], untold: [] })
      expect(rerun(cloud.journal())).toEqual([])

      const { tasks: normal, urgent, deadLetters } = cloud.stack.queues
      const left = async () =>
        (await depthOf(cloud.stack.sqs, { normal, urgent })) +
        (await depthOf(cloud.stack.sqs, { normal: deadLetters }))
      expect(await settled(EMPTY_WITHIN_MS, left, (depth) => depth === 0)).toBe(0)
      mark('emptied')
      const letters = await lettersOf(cloud.baseUrl)
      const there = new Set(tasks.map(({ title }) => title))
      const gone = refused.filter(({ title }) => !there.has(title))
      expect(letters.filter(({ taskId }) => tasks.some(({ id }) => id === taskId))).toEqual([])
      expect(new Set(letters.map(({ taskId }) => taskId)).size).toBe(letters.length)
      expect(letters.length).toBeLessThanOrEqual(gone.length)

      const wanted = { ...counted(tasks), deadLetters: letters.length }
      const shown = await settled(
        WITHIN_MS,
        () => shownCounters(api),
        (counters) => isSame(counters, wanted),
      )
      mark('counted')
      expect(shown).toEqual(wanted)

      const { calls, failed } = ways.told
      const { store } = openBasePorts(readConfig())
      const { corrections = 0 } = (await insist(() => store.tallies('tasks'))).all ?? {}
      const figures = {
        calls,
        failed,
        mostCalls: ways.mostCalls(),
        tasks: tasks.length,
        acknowledged: acknowledged.length,
        refused: refused.length,
        stored: refused.length - gone.length,
        letters: letters.length,
        retried: tasks.filter(({ attempts }) => attempts > 1).length,
        corrections,
        times,
      }
      process.stdout.write(`Calls of AWS that failed: ${JSON.stringify(figures)}\n`)
      expect(failed / calls).toBeGreaterThan(SHARE - 0.05)
      expect(ways.mostCalls()).toBeLessThanOrEqual(MOST_CALLS)
    },
    4 * WITHIN_MS + EMPTY_WITHIN_MS,
  )
})
