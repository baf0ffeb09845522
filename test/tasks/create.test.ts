import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { createReplays } from '../../lib/tasks/rows.ts'
import { type StartedApi, startApi } from '../fakes/caller.ts'
import { limitedStore } from '../fakes/mortal.ts'
import { BOB, turns } from '../fakes/service.ts'
import { wholeTask } from '../fixtures/whole-task.ts'

const DAY_MS = 86_400_000

const total = async ({ tasks }: StartedApi['service']) => (await tasks.analytics()).totalTasks

const started = async (...options: Parameters<typeof startApi>) => {
  const { service, call } = await startApi(...options)
  const create = (body: unknown, more: object = {}) => call('POST /api/tasks', { body, ...more })
  return { service, call, create }
}

describe('POST /api/tasks', () => {
  it('answers 201 with the whole task, its defaults filled in', async () => {
    const { create } = await started()
    const { status, body } = await create({ title: 'Fix the build', prompt: '  as it is ' })

    expect(status).toBe(201)
    expect(body).toEqual({
      message: 'Task created and queued',
      task: {
        id: expect.stringMatching(/^task_/),
        title: 'Fix the build',
        prompt: '  as it is ',
        priority: 3,
        status: 'queued',
        source: 'api',
        labels: [],
        agent: 'test-agent',
        attempts: 0,
        maxAttempts: 3,
        createdAt: '2026-01-01T12:00:00.000Z',
        updatedAt: '2026-01-01T12:00:00.000Z',
        queuedAt: '2026-01-01T12:00:00.000Z',
        createdBy: 'user_ann',
        threadId: body.task.id,
      },
    })
  })

  it('keeps every field of the interface, and what GET answers equals it', async () => {
    const { create, call } = await started()
    const given = { ...wholeTask, metadata: { deep: { list: [1, null, true, 'x'] } } }
    const { body } = await create(given)

    expect(body.task).toMatchObject(given)
    const { waitingFor, waiting, ...found } = (await call(`GET /api/tasks/${body.task.id}`)).body.task
    expect(found).toEqual(body.task)
    expect([waitingFor, waiting.message]).toEqual(['runner', 'no runner has gpu and linux'])
  })

  it('drops what only the service may set, and what it does not know', async () => {
    const { create } = await started()
    const stolen = {
      id: 'task_mine',
      status: 'completed',
      createdAt: '2020-01-01T00:00:00.000Z',
      createdBy: 'user_bob',
      userId: 'user_bob',
      role: 'admin',
      attempts: 9,
      fence: 9,
      whatever: true,
    }
    const { body } = await create({ title: 'T', ...stolen })

    expect(body.task).not.toMatchObject({ id: 'task_mine' })
    expect(body.task).toMatchObject({ status: 'queued', createdBy: 'user_ann', attempts: 0 })
    expect(body.task).not.toHaveProperty('whatever')
    expect(body.task).not.toHaveProperty('role')
  })

  it('takes titles and prompts at their longest', async () => {
    const { create } = await started()
    const { status } = await create({ title: 'x'.repeat(500), prompt: 'x'.repeat(100_000) })

    expect(status).toBe(201)
  })

  it('never lets creation times step back with the clock, so newer tasks list first', async () => {
    const { create, call, service } = await started()
    await create({ title: 'first' })
    service.clock.setWall(service.clock.now() - 7_200_000)
    await create({ title: 'second' })
    service.clock.setWall(service.clock.now() + 14_400_000)
    await create({ title: 'third' })

    const { tasks } = (await call('GET /api/tasks')).body
    expect(tasks.map(({ title }: { title: string }) => title)).toEqual(['third', 'second', 'first'])
  })

  it('answers 503 and stores nothing when storage is down', async () => {
    const { create, service } = await started({
      wrapStore: (real) => ({
        ...real,
        commit: async () => {
          throw new Problem('unavailable', 'storage_unavailable', 'not now')
        },
      }),
    })

    expect((await create({ title: 'T' })).status).toBe(503)
    expect((await create({ title: 'T' }, { headers: { 'idempotency-key': 'k-1' } })).status).toBe(503)
    expect(await service.counters.byStatus()).toMatchObject({ queued: 0 })
  })
})

const ADMIN = { userId: 'user_ann', role: 'admin' } as const
/** The record of the key below. */
const RECORD = 'user_ann:k-1'

describe('Idempotency-Key', () => {
  const key = { headers: { 'idempotency-key': 'k-1' } }

  it('replays the first answer to the same body and says so', async () => {
    const { create, service } = await started()
    const first = await create({ title: 'T' }, key)
    await service.tasks.cancel(BOB, first.body.task.id)
    const second = await create({ title: 'T' }, key)

    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body })
    expect(await total(service)).toBe(1)
  })

  it('replays every field of the first answer, in its order, whatever became of the task and of the settings', async () => {
    const { create, service } = await started()
    const body = { ...wholeTask, metadata: { deep: { list: [1, null, true, 'x'] } } }
    const first = await create(body, key)
    await service.settings.change(ADMIN, { retry: { attempts: 7 } })
    service.clock.advance(60_000)
    await service.worker.run({ taskId: first.body.task.id, attempt: 1 })
    await service.reaches(first.body.task.id, 'completed')
    const second = await create(body, key)

    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body))
    expect(second.body.task).toMatchObject({ status: 'queued', attempts: 0, maxAttempts: 3 })
  })

  it('is stored with its task in one commit', async () => {
    const { commits, wrapStore } = limitedStore()
    const { create, service } = await started({ wrapStore })
    commits.left = 0
    expect((await create({ title: 'T' }, key)).status).toBe(503)
    expect([await total(service), await service.store.get(createReplays, RECORD)]).toEqual([0, undefined])
    commits.left = 1
    const first = await create({ title: 'T' }, key)
    expect(first.status).toBe(201)
    expect(await service.eventTypes(first.body.task.id)).toEqual(['created', 'queued'])
    commits.left = 1
    const second = await create({ title: 'T' }, key)
    expect(second).toMatchObject({ status: 201, body: first.body })
    expect(await total(service)).toBe(1)
  })

  it('refuses another body with 400', async () => {
    const { create, service } = await started()
    await create({ title: 'T' }, key)
    const { status, body } = await create({ title: 'Other' }, key)

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'idempotency_key_reused', details: [{ path: 'idempotency-key' }] })
    expect(await total(service)).toBe(1)
  })

  it('makes one task of 50 duplicates at once', async () => {
    const { create, service } = await started({ background: true })
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ title: 'T' }, key)))
    await turns()

    expect(new Set(answers.map(({ body }) => body.task.id)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
    expect(answers.filter(({ headers }) => headers['idempotent-replayed']).length).toBe(49)
    expect(await service.counters.byStatus()).toMatchObject({ completed: 1 })
  })

  it('is forgotten after 24 hours', async () => {
    const { create, service } = await started()
    const first = await create({ title: 'T' }, key)
    service.clock.advance(DAY_MS - 1)
    expect((await create({ title: 'T' }, key)).body.task.id).toBe(first.body.task.id)
    service.clock.advance(1)

    expect((await create({ title: 'Other' }, key)).body.task.id).not.toBe(first.body.task.id)
  })

  it('means one thing per user', async () => {
    const { create } = await started()
    const ann = await create({ title: 'T' }, key)
    const bob = await create({ title: 'Other' }, { ...key, as: BOB })

    expect(bob.status).toBe(201)
    expect(bob.body.task.id).not.toBe(ann.body.task.id)
  })

  it('of a refused create is still free', async () => {
    const { create } = await started()
    expect((await create({ title: '' }, key)).status).toBe(400)
    expect((await create({ title: 'T', assignedAgent: 'nobody' }, key)).status).toBe(400)
    expect((await create({ title: 'T' }, key)).status).toBe(201)
  })

  it('answers its task again, also when the repository would be refused by now', async () => {
    const { service, create } = await started()
    const { repositories } = service.ports
    repositories.check = async () => undefined
    const task = { title: 'T', repository: 'https://host.example/a' }
    const first = await create(task, key)
    repositories.check = async () => {
      throw new Problem('invalid', 'repository_refused', 'not allowed')
    }
    expect(await create(task, key)).toMatchObject({ status: 201, body: first.body })
    expect((await create(task, { headers: { 'idempotency-key': 'k-2' } })).body.code).toBe(
      'repository_refused',
    )
    expect((await create(task)).body.code).toBe('repository_refused')
    expect(await total(service)).toBe(1)
  })

  it.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('is refused when it is %j', async (bad) => {
    const { create } = await started()
    const { status, body } = await create({ title: 'T' }, { headers: { 'idempotency-key': bad } })

    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path: 'idempotency-key' })
  })
})
