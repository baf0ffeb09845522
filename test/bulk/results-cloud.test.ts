import { describe, expect, it } from '@jest/globals'
import type { BulkJob } from '../../lib/bulk/schema.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { openCloud } from '../crash/cloud.ts'
import { ask, taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: no other emulator has streams')
const suite = hasDynoxide() ? describe : describe.skip
suite('a bulk retry of the cloud', () => {
  it('is completed when its tasks have ended, and says how many failed again', async () => {
    await using cloud = await openCloud({ QUEUE_RETRY_ATTEMPTS: '1' })
    const { baseUrl } = cloud
    const api = taskApi(baseUrl)
    cloud.launchConsumer()
    const worker = cloud.launchWorker()
    await worker.ready
    for (const title of ['one', 'two']) await api.create(scriptedTask(title, { manner: 'failing' }))
    const letters = async () => (await ask<{ total: number }>(`${baseUrl}/api/dlq`)).body.total
    await until(async () => ((await letters()) === 2 ? true : undefined))
    await worker.kill9()

    const body = { action: 'retry', filter: {} }
    const { id } = (await ask<{ job: BulkJob }>(`${baseUrl}/api/dlq/bulk`, 'POST', body)).body.job
    const read = async () => (await ask<{ job: BulkJob }>(`${baseUrl}/api/bulk/${id}`)).body.job
    // No worker runs: the job waits for its tasks.
    const waiting = await until(async () => {
      const job = await read()
      return job.done === 2 ? job : undefined
    })
    expect(waiting).toMatchObject({ status: 'running', results: { completed: 0, failed: 0, running: 2 } })
    const next = cloud.launchWorker()
    const ended = await until(async () => {
      const job = await read()
      return job.status === 'running' ? undefined : job
    })
    await next.kill9()
    expect(ended).toMatchObject({
      status: 'completed',
      done: 2,
      results: { completed: 0, failed: 2, running: 0 },
    })
    await until(async () => ((await letters()) === 2 ? true : undefined))
  })
})
