import { describe, expect, it } from '@jest/globals'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { startDomains } from '../fakes/service.ts'
import { sampleRow, store, storeIn } from './samples.ts'

const MINUTE_MS = 60_000

/** A service whose messages so far are in `sent`, and got lost. */
const started = async () => {
  const sent: RunTask[] = []
  let read = 0
  const service = await startDomains({
    background: false,
    wrapTaskQueue: (real) =>
      Object.assign(Object.create(real), {
        send: async (messages: { body: RunTask }[]) => void sent.push(...messages.map(({ body }) => body)),
      }),
    wrapStore: (real) =>
      Object.assign(Object.create(real), {
        page: async (...[of, query]: Parameters<typeof real.page>) => {
          const page = await real.page(of, query)
          read += page.rows.length
          return page
        },
      }),
  })
  const readBy = async (work: () => Promise<unknown>) => {
    read = 0
    await work()
    return read
  }
  /** What is sent when so much time has passed. */
  const resentAfter = async (ms: number) => {
    service.clock.advance(ms)
    sent.length = 0
    expect(await service.tasks.recovery.resend()).toBe(0)
    return sent.map(({ taskId, attempt }) => `${taskId} ${attempt}`)
  }
  return { service, resentAfter, readBy }
}

const AT_NOON = '2026-01-01T12:00:00.000Z'

describe('the message of a task that no worker has claimed', () => {
  it('is sent again after 15 minutes, then once an hour', async () => {
    const { service, resentAfter } = await started()
    const trace = { requestId: 'req_1' }
    await storeIn(service, 'queued', { updatedAt: AT_NOON, attempts: 1, trace })
    expect(await resentAfter(15 * MINUTE_MS)).toEqual([])
    expect(await resentAfter(1)).toEqual(['task_sample 2'])
    expect(await resentAfter(60 * MINUTE_MS)).toEqual([])
    expect(await resentAfter(1)).toEqual(['task_sample 2'])
    const before = await service.tasks.get('task_sample')
    expect(JSON.stringify(before)).not.toContain('sentAgainAt')
    expect(before.updatedAt).toBe(AT_NOON)
  })

  it('is not sent again once its task is claimed, and anew for its next attempt', async () => {
    const { service, resentAfter } = await started()
    await storeIn(service, 'queued', { updatedAt: AT_NOON })
    expect(await resentAfter(16 * MINUTE_MS)).toEqual(['task_sample 1'])
    const leased = await service.tasks.lease.claim({ taskId: 'task_sample', attempt: 1 })
    expect(leased).not.toHaveProperty('sentAgainAt')
    expect(await resentAfter(16 * MINUTE_MS)).toEqual([])
    if (leased) await service.tasks.lease.release(leased, 'shutdown')
    expect(await resentAfter(16 * MINUTE_MS)).toEqual(['task_sample 1'])
  })

  it('counts its 15 minutes from when its attempt is due', async () => {
    const { service, resentAfter } = await started()
    const nextAttemptAt = '2026-01-01T12:10:00.000Z'
    await storeIn(service, 'queued', { updatedAt: AT_NOON, attempts: 1, nextAttemptAt })
    expect(await resentAfter(25 * MINUTE_MS)).toEqual([])
    expect(await resentAfter(1)).toEqual(['task_sample 2'])
  })

  it('is sent for the 1,000 oldest at most, and at the next tick for those after them', async () => {
    const { service, resentAfter } = await started()
    const ids = Array.from({ length: 1_250 }, (_, at) => `task_${String(at).padStart(4, '0')}`)
    await Promise.all(
      ids.toReversed().map((id, at) =>
        store(
          service,
          sampleRow({
            id,
            updatedAt: AT_NOON,
            createdAt: new Date(Date.parse(AT_NOON) - at * 1_000).toISOString(),
          }),
        ),
      ),
    )
    const oldestFirst = ids.map((id) => `${id} 1`)
    expect(await resentAfter(16 * MINUTE_MS)).toEqual(oldestFirst.slice(0, 1_000))
    expect(await resentAfter(1_000)).toEqual(oldestFirst.slice(1_000))
    expect(await resentAfter(1_000)).toEqual([])
  })

  it('is looked for among tasks that were created 15 minutes ago, and no younger ones are read', async () => {
    const { service, readBy } = await started()
    const created = (id: string, minute: string) =>
      store(service, sampleRow({ id, updatedAt: AT_NOON, createdAt: `2026-01-01T12:${minute}:00.000Z` }))
    await Promise.all([created('task_old', '00'), created('task_due', '01'), created('task_young', '02')])
    service.clock.advance(16 * MINUTE_MS)
    expect(await readBy(() => service.tasks.recovery.resend())).toBe(2)
  })

  it('is looked for in one page of a long backlog at each tick, and then from the beginning again', async () => {
    const { service, resentAfter, readBy } = await started()
    await Promise.all(
      Array.from({ length: 2_100 }, (_, at) =>
        store(
          service,
          sampleRow({
            id: `task_${String(at).padStart(4, '0')}`,
            updatedAt: AT_NOON,
            createdAt: new Date(Date.parse(AT_NOON) - 10_000_000 + at).toISOString(),
          }),
        ),
      ),
    )
    for (const sent of [1_000, 1_000, 100]) expect(await resentAfter(20 * MINUTE_MS)).toHaveLength(sent)
    const read: number[] = []
    for (let ticks = 0; ticks < 5; ticks += 1) read.push(await readBy(() => resentAfter(1)))
    expect(read).toEqual([1_000, 1_000, 100, 1_000, 1_000])
  })

  it('that the queue refuses is reported, and sent at the next tick', async () => {
    let refuses = true
    const sent: unknown[] = []
    const service = await startDomains({
      background: false,
      wrapTaskQueue: (real) =>
        Object.assign(Object.create(real), {
          send: async (messages: unknown[]) => {
            if (refuses) throw new Error('not now')
            sent.push(...messages)
          },
        }),
    })
    await storeIn(service, 'queued', { updatedAt: AT_NOON })
    service.clock.advance(16 * MINUTE_MS)
    expect(await service.tasks.recovery.resend()).toBe(1)
    refuses = false
    expect(await service.tasks.recovery.resend()).toBe(0)
    expect(sent).toHaveLength(1)
  })
})
