import { describe, expect, it } from '@jest/globals'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'
import { sampleRow, storeIn } from './samples.ts'

const started = async (options: Parameters<typeof startDomains>[0] = {}) => {
  const agent = createFakeAgent()
  const service = await startDomains({ adapters: [agent], background: false, ...options })
  return { service, agent, call: createCaller(service) }
}
const { fence: _fence, ...exported } = sampleRow({ status: 'completed' })
const importing = (tasks: unknown[], version: unknown = '1.0') => ({ body: { version, tasks } })

describe('GET /api/tasks/export', () => {
  it('is an attachment with every task, oldest first, over as many pages as it takes', async () => {
    const { service, call } = await started()
    await Promise.all(
      Array.from({ length: 1_100 }, (_, at) => service.create({ title: `${at}`, prompt: 'P' })),
    )
    const { headers, body } = await call('GET /api/tasks/export')

    expect(headers['content-disposition']).toContain('attachment')
    expect(body).toMatchObject({ version: '1.0', exportedAt: '2026-01-01T12:00:00.000Z', taskCount: 1_100 })
    const ids = body.tasks.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(1_100)
    expect(body.tasks[0]).toMatchObject({ prompt: 'P' })
    expect(body.tasks[0]).not.toHaveProperty('fence')
  })

  it('is whole without a task too', async () => {
    const { call } = await started()
    expect((await call('GET /api/tasks/export')).body).toMatchObject({ tasks: [], taskCount: 0 })
  })
})

describe('POST /api/tasks/import', () => {
  it('restores an export: finished tasks as they were and not run again, the others queued', async () => {
    const source = await started({ background: true })
    const done = await source.service.run({ title: 'Done', prompt: 'P', metadata: { m: 1 } })
    await source.service.background.stop()
    const queued = await source.service.create({ title: 'Waiting' })
    const stopped = await source.service.create({ title: 'Stopped' })
    await source.service.tasks.cancel(ANN, stopped.id)
    await storeIn(source.service, 'failed', { id: 'task_retried', retriedBy: done.id })
    await storeIn(source.service, 'in_progress', {
      id: 'task_running',
      attempts: 2,
      leaseExpiresAt: 1,
      createdAt: '2026-01-01T11:00:00.000Z',
    })
    const { body: file } = await source.call('GET /api/tasks/export')

    const target = await started({ background: true })
    const { status, body } = await target.call('POST /api/tasks/import', { body: file })
    await turns()

    expect({ status, results: body.results }).toEqual({
      status: 200,
      results: { imported: 5, skipped: 0, errors: [] },
    })
    expect(body.message).toEqual(expect.any(String))
    expect(await target.service.tasks.get(done.id)).toEqual(done)
    expect((await target.service.tasks.get(stopped.id)).status).toBe('cancelled')
    expect((await target.service.tasks.get('task_retried')).retriedBy).toBe(done.id)
    expect(target.agent.runs.map(({ task }) => task.id).sort()).toEqual([queued.id, 'task_running'].sort())
    expect(await target.service.tasks.get('task_running')).toMatchObject({
      status: 'completed',
      attempts: 1,
      createdAt: '2026-01-01T11:00:00.000Z',
    })
  })

  it('counts what it restores, and exports the same again', async () => {
    const source = await started({ background: true })
    await source.service.run()
    await source.service.run({ priority: 1 })
    const { body: file } = await source.call('GET /api/tasks/export')
    const target = await started()
    await target.call('POST /api/tasks/import', { body: file })

    expect((await target.call('GET /api/tasks/export')).body).toEqual(file)
    expect(await target.service.tasks.analytics()).toEqual(await source.service.tasks.analytics())
  })

  it('skips an id that exists, in the store or earlier in the file, and leaves it alone', async () => {
    const { service, call } = await started()
    await storeIn(service, 'queued', { title: 'Mine' })
    const again = { ...exported, id: 'task_twice' }
    const { body } = await call('POST /api/tasks/import', importing([exported, again, again]))

    expect(body.results).toEqual({ imported: 1, skipped: 2, errors: [] })
    expect(await service.tasks.get('task_sample')).toMatchObject({ title: 'Mine', status: 'queued' })
  })

  it('names every task that does not fit, and restores the rest', async () => {
    const { call } = await started()
    const bad = [
      null,
      'text',
      [],
      {},
      { ...exported, id: 'no/slash' },
      { ...exported, id: 'x', status: 'sleeping' },
      { ...exported, id: 'x', createdAt: 'yesterday' },
      { ...exported, id: 'x', title: '' },
      { ...exported, id: 'x', sourceUrl: 'javascript:alert(1)' },
      { ...exported, id: 'x', maxAttempts: 1e9 },
      { ...exported, id: 'x', maxAttempts: 0 },
      { ...exported, id: 'x', attempts: -1 },
      { ...exported, id: 'x', attempts: 0.5 },
      { ...exported, id: 'x', timeoutMs: 999 },
      { ...exported, id: 'x', timeoutMs: '1h' },
      { ...exported, id: 'x', maxSteps: 201 },
      { ...exported, id: 'y', runsOn: [' gpu'] },
    ]
    const { status, body } = await call('POST /api/tasks/import', importing([...bad, exported]))

    expect(status).toBe(200)
    expect(body.results).toMatchObject({ imported: 1, skipped: 0 })
    expect(body.results.errors.map(({ index }: { index: number }) => index)).toEqual(bad.map((_, at) => at))
    expect(body.results.errors[5]).toEqual({ index: 5, id: 'x', message: expect.stringContaining('status') })
  })

  it('takes each task for itself: one that is no JSON, or none at all, goes by its place', async () => {
    const { call } = await started()
    const items = ['{"id":}', JSON.stringify(exported), 'null', '{"id":1e999}', '[]']
    const { status, body } = await call('POST /api/tasks/import', {
      body: `{"version":"1.0","tasks":[${items}]}`,
    })

    expect([status, body.results.imported]).toEqual([200, 1])
    expect(body.results.errors).toEqual([
      { index: 0, message: 'tasks.0: is not valid JSON' },
      { index: 2, message: expect.stringMatching(/^tasks\.2: /) },
      { index: 3, message: 'id: is too large a number' },
      { index: 4, message: expect.stringMatching(/^tasks\.4: /) },
    ])
  })

  it('lists a hundred of the tasks that do not fit, and counts the rest', async () => {
    const { call } = await started()
    const { body } = await call('POST /api/tasks/import', importing([...Array(250).fill({}), exported]))

    expect(body.message).toBe('Imported 1 of 251 tasks')
    expect(body.results).toMatchObject({ imported: 1, skipped: 0, moreErrors: 150 })
    expect(body.results.errors).toHaveLength(100)
  })

  it.each(['createdAt', 'completedAt', 'startedAt'])('takes no task whose %s has not come', async (field) => {
    const { service, call } = await started()
    const at = (hours: number) => new Date(service.clock.now() + hours * 3_600_000).toISOString()
    const of = (id: string, hours: number) => ({ ...exported, id, [field]: at(hours) })
    const { body } = await call('POST /api/tasks/import', importing([of('ahead', 23), of('far', 25)]))

    expect(body.results).toMatchObject({
      imported: 1,
      errors: [{ index: 1, id: 'far', message: `${field}: must not be in the future` }],
    })
  })

  it('makes its user the creator of every task, whatever the file says', async () => {
    const { service, call } = await started()
    await call('POST /api/tasks/import', importing([{ ...exported, createdBy: 'user_victim' }]))

    expect(await service.tasks.get('task_sample')).toMatchObject({ createdBy: 'user_ann' })
  })

  it('is on record with its user, and so is an export', async () => {
    const { service, call } = await started()
    const { body: file } = await call('GET /api/tasks/export')
    await call('POST /api/tasks/import', { body: { ...file, tasks: [exported, {}] } })
    await call('POST /api/tasks/import', { body: { ...file, version: 'other' } })

    expect((await service.audit.list({ limit: 9 })).records).toMatchObject([
      { action: 'task.import', userId: 'user_ann', details: { tasks: 2 } },
      { action: 'task.export', userId: 'user_ann' },
    ])
  })

  it('counts agents that are not registered as one, however many a file names', async () => {
    const { service, call } = await started({ background: true })
    const ofAgent = (at: number, status: string) => ({
      ...exported,
      id: `task_${at}`,
      agent: `one-${at}`,
      status,
    })
    const all = Array.from({ length: 600 }, (_, at) => ofAgent(at, at % 2 === 0 ? 'completed' : 'queued'))
    const keys = async () => Object.keys((await service.store.counters('tasks')).all ?? {})
    await call(
      'POST /api/tasks/import',
      importing([...all.slice(0, 2), { ...exported, agent: 'test-agent' }]),
    )
    await service.reaches('task_1', 'failed')
    const before = await keys()
    expect((await call('POST /api/tasks/import', importing(all))).body.results.imported).toBe(598)
    await service.reaches('task_599', 'failed')

    expect(await keys()).toEqual(before)
    expect((await service.tasks.analytics()).byAgent).toEqual({ other: 600, 'test-agent': 1 })
    const { task } = (await call('GET /api/tasks/task_0')).body
    expect([task.agent, 'countedAs' in task]).toEqual(['one-0', false])
  })

  it('fills in what a file lacks', async () => {
    const { service, call } = await started()
    const { id, title, status, createdAt } = exported
    await call('POST /api/tasks/import', importing([{ id, title, status, createdAt }]))

    expect(await service.tasks.get(id)).toMatchObject({
      agent: 'test-agent',
      priority: 3,
      attempts: 0,
      maxAttempts: 3,
      createdBy: 'user_ann',
      createdAt,
    })
  })

  it('writes times in one form, so that they sort as times', async () => {
    const { service, call } = await started()
    const at = (id: string, createdAt: string) => ({ ...exported, id, createdAt })
    const { body } = await call(
      'POST /api/tasks/import',
      importing([at('late', '2026-01-01T11:00:00.500Z'), at('early', '2026-01-01T11:00:00Z')]),
    )

    expect(body.results.imported).toBe(2)
    expect((await service.tasks.get('early')).createdAt).toBe('2026-01-01T11:00:00.000Z')
    const { tasks } = (await call('GET /api/tasks')).body
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(['late', 'early'])
  })

  it('queues the task of an agent that is not here, which then fails and says so', async () => {
    const { service, call } = await started({ background: true })
    await call('POST /api/tasks/import', importing([{ ...exported, status: 'queued', agent: 'elsewhere' }]))

    expect(await service.reaches('task_sample', 'failed')).toMatchObject({
      error: { code: 'agent_unavailable' },
    })
  })
})
