import { describe, expect, it } from '@jest/globals'
import type { BulkJob, BulkPreview } from '../../lib/bulk/schema.ts'
import type { DlqItem, FailureGroup } from '../../lib/queue/schema.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { openCloud } from '../crash/cloud.ts'
import { ask, taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: no other emulator has streams')
const suite = hasDynoxide() ? describe : describe.skip
suite('failure groups of the cloud', () => {
  it('are counted by the stream of changes, and decided by jobs', async () => {
    await using cloud = await openCloud({ QUEUE_RETRY_ATTEMPTS: '1' })
    const { baseUrl } = cloud
    const api = taskApi(baseUrl)
    cloud.launchConsumer()
    await cloud.launchWorker().ready
    for (const title of ['one', 'two', 'three']) await api.create(scriptedTask(title, { manner: 'failing' }))
    const groups = async () =>
      (await ask<{ failures: FailureGroup[] }>(`${baseUrl}/api/failures`)).body.failures
    const groupWith = (pending: number) =>
      until(async () => (await groups()).find((group) => group.count === 3 && group.pending === pending))
    const { fingerprint, taskIds, agent, muted } = await groupWith(3)
    expect([taskIds.length, agent, muted]).toEqual([3, 'scripted', false])

    const bulk = async <T>(body: object) => (await ask<T>(`${baseUrl}/api/dlq/bulk`, 'POST', body)).body
    const probe = { action: 'discard', filter: { fingerprint, limit: 1 } }
    expect(await bulk<BulkPreview>({ ...probe, dryRun: true })).toMatchObject({ count: 1, sample: [{}] })
    const ended = (id: string) =>
      until(async () => {
        const { job } = (await ask<{ job: BulkJob }>(`${baseUrl}/api/bulk/${id}`)).body
        return job.status === 'completed' ? job : undefined
      })
    for (const order of [probe, { action: 'discard', filter: { fingerprint } }]) {
      const { id, total } = (await bulk<{ job: BulkJob }>(order)).job
      const job = await ended(id)
      expect([job.done, job.failed]).toEqual([total, 0])
    }
    await groupWith(0)
    const jobs = await until(async () => {
      const { body } = await ask<{ jobs: BulkJob[]; total: number }>(`${baseUrl}/api/bulk?limit=1`)
      return body.total === 2 ? body.jobs : undefined
    })
    expect(jobs).toEqual([expect.objectContaining({ action: 'discard', status: 'completed', total: 2 })])
    const window = await ask<{ recent: { buckets: { failed: number }[]; byAgent: Record<string, object> } }>(
      `${baseUrl}/api/tasks/analytics?window=24h&timezone=Asia/Kolkata`,
    )
    const { buckets, byAgent } = window.body.recent
    expect([buckets.length, buckets.reduce((sum, one) => sum + one.failed, 0)]).toEqual([24, 3])
    expect(byAgent).toMatchObject({ scripted: { created: 3, started: 3, failed: 3, wait: { count: 3 } } })
    const listed = await ask<{ total: number; items: DlqItem[] }>(
      `${baseUrl}/api/dlq?status=discarded&fingerprint=${fingerprint}`,
    )
    expect(listed.body.total).toBe(3)
    const ids = listed.body.items.map(({ id }) => id)
    const refused = await ended((await bulk<{ job: BulkJob }>({ action: 'discard', ids })).job.id)
    expect(refused.failures).toMatchObject(
      listed.body.items.map(({ id, title }) => ({ id, title, code: 'dead_letter_not_pending' })),
    )
    for (const verb of ['mute', 'unmute']) {
      const { status } = await ask(`${baseUrl}/api/failures/${fingerprint}/${verb}`, 'POST')
      expect([status, (await groups())[0]?.muted]).toEqual([200, verb === 'mute'])
    }
  })
})
