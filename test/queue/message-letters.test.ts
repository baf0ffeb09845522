import { beforeEach, describe, expect, it } from '@jest/globals'
import { deadLetters } from '../../lib/queue/rows.ts'
import { startDynalite } from '../../offline/emulators.ts'
import { databaseForTests } from '../fakes/database.ts'
import { ANN, BODY } from '../tasks/reconcile-verbs.ts'
import { openWorld, type Service, type World } from '../tasks/reconcile-world.ts'

const database = databaseForTests(startDynalite)
let world: World
let service: Service
beforeEach(async () => {
  world = await openWorld(database().client)
  service = world.serve()
})

const LETTER = 'dlq_B1A5B4F6D3F84B5D9F1D2C7E6A5B4C3D'
const CONFLICT = { kind: 'invalid', code: 'task_state_conflict' }
const PENDING = { pending: 1, resolved: 0, discarded: 0, total: 1 }
const RESOLVED = { pending: 0, resolved: 1, discarded: 0, total: 1 }

/** A task whose message nobody could read: it became a dead letter. */
const unread = async () => {
  const { id } = await service.create(ANN, BODY)
  const messageId = 'b1a5b4f6-d3f8-4b5d-9f1d-2c7e6a5b4c3d'
  await service.letters.addMessage({ messageId, taskId: id, reason: 'unknown_shape: {}' })
  world.sent.length = 0
  return id
}
const claimed = async (taskId: string) => {
  const claim = await service.runs.claim({ taskId, attempt: 1 })
  if (claim === undefined) throw new Error('It is not to be claimed')
  return claim.task
}
const completed = async (taskId: string) =>
  service.runs.succeed(await claimed(taskId), { success: true, output: '' })
const statusOf = async (letterId: string) => (await world.store.get(deadLetters, letterId))?.status

describe('the retry of a dead letter that names a task by a message of it', () => {
  it('sends the task that waits for its message once more, and closes the letter', async () => {
    const id = await unread()
    world.clock.advance(60_000)
    expect(await service.letters.retry(LETTER)).toMatchObject({
      item: { id: LETTER, taskId: id, status: 'resolved' },
      task: { id, status: 'queued', attempts: 0 },
    })
    expect(world.sent).toEqual([{ taskId: id, attempt: 1 }])
    expect(await service.letters.countAll()).toEqual(RESOLVED)
    await completed(id)
    const { events } = await service.events(id)
    expect(events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'completed'])
    const { totals } = await world.shown()
    expect(totals).toMatchObject({ 'status:completed': 1 })
    expect(totals).not.toHaveProperty('status:failed')
  })

  it('is refused while the queue takes nothing, and leaves the letter to the next', async () => {
    const id = await unread()
    world.faults.refuse = true
    await expect(service.letters.retry(LETTER)).rejects.toMatchObject({ code: 'queue_unavailable' })
    expect(await service.letters.countAll()).toEqual(PENDING)
    world.faults.refuse = false
    await service.letters.retry(LETTER)
    expect(world.sent).toEqual([{ taskId: id, attempt: 1 }])
    await expect(service.letters.retry(LETTER)).rejects.toMatchObject({ code: 'dead_letter_not_pending' })
    expect(world.sent).toHaveLength(1)
  })

  it('queues one that is pending', async () => {
    world.faults.refuse = true
    const id = await unread()
    expect(await service.get(id)).toMatchObject({ status: 'pending' })
    world.faults.refuse = false
    expect(await service.letters.retry(LETTER)).toMatchObject({ task: { id, status: 'queued' } })
    expect(world.sent).toEqual([{ taskId: id, attempt: 1 }])
  })

  it.each([
    ['in_progress', claimed],
    ['completed', completed],
    ['cancelled', (id: string) => service.cancel(ANN, id)],
  ])('is refused when that is %s', async (status, become) => {
    const id = await unread()
    await become(id)
    const before = (await world.shown()).totals
    await expect(service.letters.retry(LETTER)).rejects.toMatchObject(CONFLICT)
    expect(await service.get(id)).toMatchObject({ status })
    expect([world.sent, await statusOf(LETTER)]).toEqual([[], 'pending'])
    expect((await world.shown()).totals).toEqual(before)
    expect(await service.letters.discard(LETTER)).toMatchObject({ status: 'discarded' })
  })

  it('leaves one that has failed since to the letter of that', async () => {
    const id = await unread()
    await service.runs.exhaust(await claimed(id), { code: 'broken', message: 'It broke' })
    const { items } = await service.letters.list({ limit: 10, status: 'pending' } as never)
    const own = items.find(({ id: letterId }) => letterId !== LETTER)?.id ?? ''
    await expect(service.letters.retry(LETTER)).rejects.toMatchObject(CONFLICT)
    expect(await service.get(id)).toMatchObject({ status: 'failed' })
    expect(await service.letters.retry(own)).toMatchObject({ task: { id, status: 'queued', attempts: 0 } })
    expect(await statusOf(LETTER)).toBe('pending')
  })
})
