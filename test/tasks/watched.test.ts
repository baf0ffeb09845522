import { describe, expect, it } from '@jest/globals'
import type { LocalNotice } from '../../lib/app/local-delivery.ts'
import type { Outgoing } from '../../lib/ports/queue.ts'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { ANN, type StartedDomains, startDomains, turns } from '../fakes/service.ts'

const LOST = { code: 'undeliverable', message: 'It was lost' }

/** A task, and the notices of its ends so far. */
const started = async (more: { watched?: true }) => {
  const notices: LocalNotice['notice'][] = []
  const service = await startDomains({
    background: false,
    wrapNotificationQueue: (real) =>
      Object.assign(Object.create(real), {
        send: async (messages: readonly Outgoing<LocalNotice>[]) => {
          for (const { body } of messages) {
            notices.push(body.notice)
            body.handled()
          }
        },
      }),
  })
  service.store.start()
  const { task, write } = await service.tasks.draft(ANN, CreateTaskSchema.parse({ title: 'T' }), more)
  await service.store.commit(write)
  const ends = async () => {
    await turns()
    return notices.filter(({ kind }) => kind === 'ended')
  }
  return { service, id: task.id, ends }
}

const run = async ({ tasks }: StartedDomains, taskId: string) => {
  const leased = await tasks.lease.claim({ taskId, attempt: 1 })
  if (leased === undefined) throw new Error('It is not to be claimed')
  return leased
}

const ENDS: [status: string, end: (service: StartedDomains, id: string) => Promise<unknown>][] = [
  [
    'completed',
    async (service, id) =>
      service.tasks.lease.succeed(await run(service, id), { success: true, output: 'done' }),
  ],
  ['failed', async (service, id) => service.tasks.lease.fail(await run(service, id), LOST)],
  ['failed', ({ tasks }, id) => tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, LOST)],
  ['cancelled', ({ tasks }, id) => tasks.cancel(ANN, id)],
]

describe('a task that is watched', () => {
  it.each(ENDS)('tells once that it has ended, when it is %s', async (status, end) => {
    const { service, id, ends } = await started({ watched: true })
    expect(await ends()).toEqual([])
    await end(service, id)
    expect((await service.tasks.get(id)).status).toBe(status)
    expect(await ends()).toEqual([{ kind: 'ended', taskId: id }])
    expect(JSON.stringify(await service.tasks.get(id))).not.toContain('watched')
  })

  it('tells it again when it ends again, after its dead letter was retried', async () => {
    const { service, id, ends } = await started({ watched: true })
    await service.tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, LOST)
    const { items } = await service.deadLetters.list({ status: 'pending', limit: 9 })
    await service.deadLetters.retry(ANN, items[0]?.id ?? '')
    expect(await ends()).toHaveLength(1)
    await service.tasks.lease.succeed(await run(service, id), { success: true, output: 'done' })
    expect(await ends()).toEqual(Array(2).fill({ kind: 'ended', taskId: id }))
  })

  it('tells the end of the task that it was retried as', async () => {
    const { service, id, ends } = await started({ watched: true })
    await service.tasks.cancel(ANN, id)
    const other = await service.tasks.retry(ANN, id)
    expect(await ends()).toHaveLength(1)
    await service.tasks.cancel(ANN, other.id)
    expect(await ends()).toEqual([id, other.id].map((taskId) => ({ kind: 'ended', taskId })))
  })
})

it('a task that is not watched sends no notice of its end', async () => {
  const { service, id, ends } = await started({})
  await service.tasks.cancel(ANN, id)
  expect(await ends()).toEqual([])
})
