import { randomInt } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import { apiOf, ask, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { rerun } from './audit.ts'
import { openCloud } from './cloud.ts'
import { seededRandom, upTo } from './random.ts'
import { startUnreliable } from './unreliable.ts'

const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const SHARE = 0.3
const TASKS = 30
const AT_ONCE = 10
/** The share of the tasks that must have run before the faults end. */
const MOST = 0.75
const LONGEST_RUN_MS = 40
const settings = { QUEUE_RETRY_ATTEMPTS: '100', TASK_LEASE_MS: '1000', QUEUE_CONCURRENCY: '5' }

/** The ways to AWS, of which a share of the calls fails while `faults.share` says so. */
const openWays = () => {
  const faults = { share: SHARE, random: seededRandom(SEED) }
  const ways = new Map<string, ReturnType<typeof startUnreliable>>()
  const reach = async (origin: string) => {
    const way =
      ways.get(origin) ?? startUnreliable(origin, { share: () => faults.share, random: faults.random })
    ways.set(origin, way)
    return (await way).url
  }
  const stop = async () => {
    for (const way of ways.values()) (await way).stop()
  }
  const told = async () => {
    const all = await Promise.all(ways.values())
    const sum = (name: 'calls' | 'failed') => all.reduce((total, way) => total + way.told[name], 0)
    return { calls: sum('calls'), failed: sum('failed') }
  }
  return { reach, faults, told, [Symbol.asyncDispose]: stop }
}

/** Creates tasks, every second one under a key; the identifiers of those that were acknowledged, and all other answers. */
const createAll = async (baseUrl: string) => {
  const random = seededRandom(SEED + 1)
  const bodies = Array.from({ length: TASKS }, (_, n) => ({
    ...scriptedTask(`task-${n}`, { runMs: upTo(LONGEST_RUN_MS, random) }),
    priority: 1 + upTo(3, random),
  }))
  const acknowledged: string[] = []
  const refused: number[] = []
  const create = async () => {
    for (let body = bodies.pop(); body; body = bodies.pop()) {
      const headers = bodies.length % 2 === 0 ? { 'idempotency-key': body.title } : {}
      const answer = await ask<{ task: Task }>(`${baseUrl}/api/tasks`, 'POST', body, headers)
      if (answer.status === 201) acknowledged.push(answer.body.task.id)
      else refused.push(answer.status)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, create))
  return { acknowledged, refused }
}

describe(`the cloud while ${SHARE * 100} % of all calls of AWS fail, CRASH_SEED=${SEED}`, () => {
  it('completes every acknowledged task, and runs no attempt twice', async () => {
    await using ways = openWays()
    await using cloud = await openCloud(settings, ways.reach)
    await Promise.all([cloud.launchWorker().ready, cloud.launchWorker().ready])
    const { acknowledged, refused } = await createAll(cloud.baseUrl)
    expect(acknowledged.length).toBeGreaterThan(TASKS / 2)
    expect(refused.filter((status) => status !== 503)).toEqual([])
    await until(() => {
      const ended = new Set(cloud.journal().flatMap(({ did, taskId }) => (did === 'end' ? [taskId] : [])))
      return acknowledged.filter((id) => ended.has(id)).length >= MOST * acknowledged.length || undefined
    })
    const { calls, failed } = await ways.told()
    expect(failed / calls).toBeGreaterThan(0.2)
    // The last ones wait out long backoffs; what was lost on their way, recovery brings back.
    ways.faults.share = 0
    const api = apiOf(cloud.baseUrl)
    const tasks = await Promise.all(acknowledged.map((id) => api.untilTask(id, 'completed', 'failed')))
    for (const { id, status, attempts, result } of tasks)
      expect({ id, status, output: result?.output }).toEqual({
        id,
        status: 'completed',
        output: `attempt ${attempts}`,
      })
    expect(rerun(cloud.journal())).toEqual([])
    expect((await api.queueStatus()).deadLetterQueue.total).toBe(0)
    const retried = tasks.filter(({ attempts }) => attempts > 1).length
    const figures = { calls, failed, acknowledged: tasks.length, refused: refused.length, retried }
    process.stdout.write(`Calls of AWS that failed: ${JSON.stringify(figures)}\n`)
  }, 120_000)
})
