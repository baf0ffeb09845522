import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { ANN, type StartedDomains, startDomains } from '../fakes/service.ts'
import { storeIn } from '../tasks/samples.ts'

let service: StartedDomains
let sent: RunTask[] = []
let refuses = false
beforeEach(async () => {
  sent = []
  refuses = false
  service = await startDomains({
    background: false,
    wrapTaskQueue: (real) =>
      Object.assign(Object.create(real), {
        send: async (messages: { body: RunTask }[]) => {
          if (refuses) throw new Problem('unavailable', 'queue_unavailable', 'not now')
          sent.push(...messages.map(({ body }) => body))
        },
      }),
  })
})

const LETTER = 'dlq_B1A5B4F6D3F84B5D9F1D2C7E6A5B4C3D'
const CONFLICT = { kind: 'invalid', code: 'task_state_conflict' }
const PENDING = { pending: 1, resolved: 0, discarded: 0, total: 1 }
const RESOLVED = { pending: 0, resolved: 1, discarded: 0, total: 1 }

/** A task whose message nobody could read: it became a dead letter. */
const unread = async (id?: string) => {
  const taskId = id ?? (await service.create()).id
  const messageId = 'b1a5b4f6-d3f8-4b5d-9f1d-2c7e6a5b4c3d'
  await service.deadLetters.addMessage({ messageId, taskId, reason: 'unknown_shape: {}' })
  return taskId
}
const claimed = async (taskId: string) => {
  const leased = await service.tasks.lease.claim({ taskId, attempt: 1 })
  if (leased === undefined) throw new Error('It is not to be claimed')
  return leased
}
const completed = async (taskId: string) =>
  service.tasks.lease.succeed(await claimed(taskId), { success: true, output: '' })
const letterStatus = async (letterId: string) => (await service.store.get(deadLetters, letterId))?.status

describe('the retry of a dead letter that names a task by a message of it', () => {
  it('sends the task that waits for its message once more, and closes the letter', async () => {
    const id = await unread()
    service.clock.advance(60_000)
    expect(await service.deadLetters.retry(ANN, LETTER)).toMatchObject({
      item: { id: LETTER, taskId: id, status: 'resolved' },
      task: { id, status: 'queued', attempts: 0 },
    })
    expect(sent).toMatchObject([{ taskId: id, attempt: 1 }])
    expect(await service.deadLetters.countAll()).toEqual(RESOLVED)
    await completed(id)
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'completed'])
    expect(await service.counters.byStatus()).toMatchObject({ completed: 1, failed: 0 })
  })

  it('is refused while the queue takes nothing, and leaves the letter to the next', async () => {
    const id = await unread()
    refuses = true
    await expect(service.deadLetters.retry(ANN, LETTER)).rejects.toMatchObject({ code: 'queue_unavailable' })
    expect(await service.deadLetters.countAll()).toEqual(PENDING)
    refuses = false
    await service.deadLetters.retry(ANN, LETTER)
    expect(sent).toMatchObject([{ taskId: id, attempt: 1 }])
    await expect(service.deadLetters.retry(ANN, LETTER)).rejects.toMatchObject({
      code: 'dead_letter_not_pending',
    })
    expect(sent).toHaveLength(1)
  })

  it('sends the message of one that is pending no earlier than the tick does', async () => {
    const { id } = await storeIn(service, 'pending', { nextAttemptAt: '2026-01-01T13:00:00.000Z' })
    await unread(id)
    expect(await service.deadLetters.retry(ANN, LETTER)).toMatchObject({ task: { id, status: 'pending' } })
    expect(sent).toEqual([])
    expect(await service.deadLetters.countAll()).toEqual(RESOLVED)
  })

  it.each([
    ['in_progress', claimed],
    ['completed', completed],
    ['cancelled', (id: string) => service.tasks.cancel(ANN, id)],
  ])('is refused when that is %s', async (status, become) => {
    const id = await unread()
    await become(id)
    const before = await service.counters.byStatus()
    await expect(service.deadLetters.retry(ANN, LETTER)).rejects.toMatchObject(CONFLICT)
    expect(await service.tasks.get(id)).toMatchObject({ status })
    expect([sent, await letterStatus(LETTER)]).toEqual([[], 'pending'])
    expect(await service.counters.byStatus()).toEqual(before)
    expect(await service.deadLetters.discard(LETTER)).toMatchObject({ status: 'discarded' })
  })

  it('leaves one that has failed since to the letter of that', async () => {
    const id = await unread()
    await service.tasks.lease.fail(await claimed(id), { code: 'broken', message: 'It broke' })
    const { items } = await service.deadLetters.list({ limit: 10, status: 'pending' })
    const own = items.find(({ id: letterId }) => letterId !== LETTER)?.id ?? ''
    await expect(service.deadLetters.retry(ANN, LETTER)).rejects.toMatchObject(CONFLICT)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed' })
    expect(await service.deadLetters.retry(ANN, own)).toMatchObject({
      task: { id, status: 'queued', attempts: 0 },
    })
    expect(await letterStatus(LETTER)).toBe('pending')
  })
})
