import { describe, expect, it } from '@jest/globals'
import { bulkJobs } from '../../lib/bulk/rows.ts'
import type { BulkJob } from '../../lib/bulk/schema.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { type Caller, startApi } from '../fakes/caller.ts'
import { ANN, until } from '../fakes/service.ts'

const BROKEN = () => Promise.reject(new Error('still broken'))
const DONE = async () => ({ success: true, output: 'done' })

/** How the second run of a task goes, by its title; the first run of each fails. */
const MANNERS = { good: DONE, bad: BROKEN, slow: HOLD }
type Manner = keyof typeof MANNERS
type Target = 'tasks' | 'dlq'

/** A service whose tasks have failed, and a job that retries them all; each `slow` one runs until it is cancelled. */
const withRetry = async (target: Target, manners: readonly Manner[]) => {
  let isFirst = true
  const agent = createFakeAgent((task, context) =>
    isFirst ? BROKEN() : MANNERS[task.title as Manner](task, context),
  )
  const api = await startApi({
    adapters: [agent],
    env: { QUEUE_RETRY_ATTEMPTS: '1', POOL_MAX_SIZE: '10', QUEUE_CONCURRENCY: '10' },
  })
  const { call, service } = api
  for (const title of manners) await service.create({ title })
  await service.background.start()
  await until(async () => (await service.counters.byStatus()).failed === manners.length)
  isFirst = false
  service.clock.advance(1_000)
  const body = { action: 'retry', filter: target === 'dlq' ? {} : { status: 'failed' } }
  const { job } = (await call(`POST /api/${target}/bulk`, { body })).body
  await until(async () => {
    const { done, results } = await read(call, job.id)
    return done === manners.length && results?.running === manners.filter((one) => one === 'slow').length
  })
  return { ...api, jobId: job.id as string }
}

const read = async (call: Caller, id: string): Promise<BulkJob> =>
  (await call(`GET /api/bulk/${id}`)).body.job
const listed = async (call: Caller): Promise<BulkJob[]> => (await call('GET /api/bulk')).body.jobs
const runningTask = async (call: Caller): Promise<string> =>
  (await call('GET /api/tasks/filter?status=in_progress')).body.tasks[0].id

describe.each(['tasks', 'dlq'] as const)('the results of a bulk retry of %s', (target) => {
  it.each<[Manner[], BulkJob['results'], BulkJob['status']]>([
    [['good', 'good'], { completed: 2, failed: 0, running: 0 }, 'completed'],
    [['bad', 'bad'], { completed: 0, failed: 2, running: 0 }, 'completed'],
    [['good', 'bad', 'slow'], { completed: 1, failed: 1, running: 1 }, 'running'],
    [['slow'], { completed: 0, failed: 0, running: 1 }, 'running'],
  ])('of tasks that go %j are %j, and the job is %s', async (manners, results, status) => {
    const { call, service, jobId } = await withRetry(target, manners)
    const expected = { status, done: manners.length, failed: 0, results }
    expect(await read(call, jobId)).toMatchObject(expected)
    expect((await listed(call))[0]).toMatchObject(expected)
    // The tick stores the same for the readers of the live stream.
    await service.pass(2_000)
    const { completed, failed } = results ?? {}
    expect(await service.store.get(bulkJobs, jobId)).toMatchObject({
      status: status === 'running' ? 'following' : status,
      ended: { completed, failed },
    })
  })

  it.each<[string, (it: Awaited<ReturnType<typeof withRetry>>) => Promise<unknown>, BulkJob['results']]>([
    [
      'is cancelled',
      async ({ call, service }) => service.tasks.cancel(ANN, await runningTask(call)),
      { completed: 0, failed: 1, running: 0, cancelled: 1 },
    ],
    [
      'is removed',
      async ({ call, service }) => service.store.commit({ remove: tasks, key: await runningTask(call) }),
      { completed: 0, failed: 1, running: 0, cancelled: 1 },
    ],
    [
      'another job takes over',
      async ({ call, service }) => {
        const task = await service.tasks.get(await runningTask(call))
        await service.store.commit(service.tasks.redrive.bulkJoinWrite(task, service.ids.next('bulk')))
      },
      { completed: 0, failed: 1, running: 0, cancelled: 1 },
    ],
  ])('count a task that %s as ended', async (_, act, results) => {
    const given = await withRetry(target, ['bad', 'slow'])
    await act(given)
    expect(await read(given.call, given.jobId)).toMatchObject({
      status: 'completed',
      done: 2,
      failed: 0,
      endedAt: expect.any(String),
      results,
    })
  })

  it('leave out what becomes of a task that is retried once more, by a person or by another job', async () => {
    const { call, service, jobId } = await withRetry(target, ['bad', 'bad', 'slow'])
    const [letter] = (await call('GET /api/dlq')).body.items
    await call(`POST /api/dlq/${letter.id}/retry`)
    await until(async () => (await call('GET /api/dlq')).body.items.length === 2)
    const { job: other } = (await call('POST /api/dlq/bulk', { body: { action: 'retry', filter: {} } })).body
    await until(async () => (await read(call, other.id)).status === 'completed')

    expect((await read(call, other.id)).results).toEqual({ completed: 0, failed: 2, running: 0 })
    expect(await read(call, jobId)).toMatchObject({
      status: 'running',
      results: { completed: 0, failed: 2, running: 1 },
    })
    await service.tasks.cancel(ANN, await runningTask(call))
    expect((await read(call, jobId)).status).toBe('completed')
  })

  it('are no longer waited for when the job is stopped, and its tasks go on', async () => {
    const { call, service, jobId } = await withRetry(target, ['good', 'slow'])
    const stopped = (await call(`POST /api/bulk/${jobId}/cancel`)).body.job
    expect(stopped).toMatchObject({ status: 'cancelled', results: { completed: 1, failed: 0, running: 1 } })
    const taskId = await runningTask(call)
    await service.pass(3_000)
    expect((await service.tasks.get(taskId)).status).toBe('in_progress')
    expect(await read(call, jobId)).toEqual(stopped)
    await service.tasks.cancel(ANN, taskId)
    expect((await listed(call))[0]).toMatchObject({
      status: 'cancelled',
      results: { completed: 1, failed: 0, running: 0, cancelled: 1 },
    })
  })
})

it('a bulk retry of tasks that all are refused ends with its last item', async () => {
  const { call, service } = await startApi()
  await service.background.start()
  const { job } = (await call('POST /api/tasks/bulk', { body: { action: 'retry', ids: ['task_none'] } })).body
  await until(async () => (await read(call, job.id)).status === 'completed')
  expect(await read(call, job.id)).toMatchObject({
    failed: 1,
    results: { completed: 0, failed: 0, running: 0 },
  })
})

it('a job of another action has no results', async () => {
  const { call, service } = await startApi({ adapters: [createFakeAgent(HOLD)] })
  const { id } = await service.create()
  const { job } = (await call('POST /api/tasks/bulk', { body: { action: 'cancel', ids: [id] } })).body
  await service.bulk.runSlice({ jobId: job.id, from: 0 })
  const ended = await read(call, job.id)
  expect([ended.status, 'results' in ended]).toEqual(['completed', false])
})
