import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import type { BulkJob } from '../../lib/bulk/schema.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { ask, taskApi, until } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { launchService, startService } from '../journeys/service.ts'
import { walk } from './audit.ts'
import { openCloud } from './cloud.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const TASKS = 400
/** Items of a job that no task is. */
const UNKNOWN = 10

const itemsForJob = (count: number) => {
  const tasks = finishedTasks(count).map(({ agent: _, ...task }) => ({ ...task, agent: 'scripted' }))
  const nowhere = Array.from({ length: UNKNOWN }, (_, n) => `task_none${n}`)
  return { tasks, ids: [...tasks.map(({ id }) => id), ...nowhere] }
}

/** Imports tasks that have ended, and has all of them run again by one job; answers its id. */
const begin = async (baseUrl: string, { tasks, ids }: ReturnType<typeof itemsForJob>): Promise<string> => {
  const file = { version: '1.0', tasks }
  expect((await ask(`${baseUrl}/api/tasks/import`, 'POST', file)).status).toBe(200)
  const body = { action: 'retry', ids }
  const answer = await ask<{ job: BulkJob }>(`${baseUrl}/api/tasks/bulk`, 'POST', body)
  expect(answer.status).toBe(202)
  return answer.body.job.id
}

const fetchJob = async (baseUrl: string, id: string): Promise<BulkJob> =>
  (await ask<{ job: BulkJob }>(`${baseUrl}/api/bulk/${id}`)).body.job

/** Each task was retried once, and the job says so; it ends with its tasks, where a worker runs them. */
const expectOnce = async (
  baseUrl: string,
  id: string,
  { tasks }: ReturnType<typeof itemsForJob>,
  hasWorker: boolean,
) => {
  const job = await until(async () => {
    const now = await fetchJob(baseUrl, id)
    const isOver = hasWorker ? now.status !== 'running' : now.done + now.failed === now.total
    return isOver ? now : undefined
  })
  expect(job).toMatchObject({
    status: hasWorker ? 'completed' : 'running',
    total: tasks.length + UNKNOWN,
    done: tasks.length,
    failed: UNKNOWN,
    results: { completed: hasWorker ? tasks.length : 0, failed: 0, running: hasWorker ? 0 : tasks.length },
    failures: Array.from({ length: UNKNOWN }, (_, n) => ({ id: `task_none${n}`, code: 'task_not_found' })),
  })
  const all = await walk(taskApi(baseUrl))
  const retried = all.flatMap(({ retriedFrom = [] }) => retriedFrom)
  expect(retried.toSorted()).toEqual(tasks.map(({ id: task }) => task).toSorted())
}

describe(`a bulk job of a service that is killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'goes on where it was, does every item once, and counts right',
    async () => {
      const random = seededRandom(SEED)
      using world = scriptedWorld()
      const items = itemsForJob(TASKS)
      let id = ''
      const places: number[] = []
      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = launchService({ env: world.env })
        const baseUrl = await service.ready()
        if (kill === 0) id = await begin(baseUrl, items)
        const before = await fetchJob(baseUrl, id)
        places.push(before.done)
        // Once something has been done, it dies at any moment.
        await until(async () => {
          const { done, status } = await fetchJob(baseUrl, id)
          return done > before.done || status !== 'running' || undefined
        })
        await sleep(upTo(30, random))
        await service.kill9()
      }
      await using service = await startService({ ...world })
      await expectOnce(service.baseUrl, id, items, true)
      process.stdout.write(`Bulk: died at ${places.slice(1).join(', ')} of ${TASKS}\n`)
    },
    120_000 + KILLS * 10_000,
  )
})

const suite = hasDynoxide() ? describe : describe.skip
if (!hasDynoxide()) console.error('SKIPPED: dynoxide is not installed, and dynalite has no streams')
suite(`a bulk job of the cloud whose functions are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'goes on in other invocations, does every item once, and counts right',
    async () => {
      const random = seededRandom(SEED + 1)
      await using cloud = await openCloud({}, undefined, false)
      const { baseUrl } = cloud
      const items = itemsForJob(TASKS / 4)
      cloud.launchConsumer()
      const id = await begin(baseUrl, items)
      for (let kill = 0; kill < KILLS; kill += 1) {
        const senders = [cloud.launchSender(), cloud.launchSender()]
        const before = (await fetchJob(baseUrl, id)).done
        await until(async () => {
          const { done, status } = await fetchJob(baseUrl, id)
          return done > before || status !== 'running' || undefined
        })
        await sleep(upTo(100, random))
        await Promise.all(senders.map((sender) => sender.kill9()))
      }
      cloud.launchSender()
      await expectOnce(baseUrl, id, items, false)
    },
    240_000 + KILLS * 10_000,
  )
})
