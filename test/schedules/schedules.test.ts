import { describe, expect, it } from '@jest/globals'
import { type UserRow, users } from '../../lib/accounts/rows.ts'
import { readCounter } from '../../lib/core/collection.ts'
import { limitedCounts } from '../../lib/limits/limited-count.ts'
import { schedules as rows, SCHEDULE_COUNTER } from '../../lib/schedules/rows.ts'
import { createCaller, startApi } from '../fakes/caller.ts'
import { ANN, BOB, startDomains } from '../fakes/service.ts'
import { linkAccount } from '../reporting/linked.ts'

const HOURLY = { name: 'Hourly', cron: '0 * * * *', task: { title: 'Look', prompt: 'Look around' } }
const HOUR_MS = 3_600_000

const started = async (given: object = HOURLY, env: Record<string, string> = {}) => {
  const api = await startApi({ env })
  const { status, body } = await api.call('POST /api/schedules', { body: given })
  expect(status).toBe(201)
  const { id } = body.schedule
  const tasks = async () => (await api.call('GET /api/tasks?full=true')).body.tasks
  const read = async () => (await api.call(`GET /api/schedules/${id}`)).body
  return { ...api, id, schedule: body.schedule, tasks, read }
}

describe('a schedule', () => {
  it('is made, read, listed without long texts, changed and deleted by all who sign in, and each is on record', async () => {
    const { call, id, schedule, read, service } = await started()
    const { task, ...rest } = schedule
    expect(rest).toEqual({
      id,
      name: 'Hourly',
      cron: '0 * * * *',
      timezone: 'UTC',
      enabled: true,
      createdBy: ANN.userId,
      runsAs: ANN.userId,
      nextRunAt: '2026-01-01T13:00:00.000Z',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(task).toMatchObject({ title: 'Look', prompt: 'Look around', priority: 3, source: 'cron' })
    expect(await read()).toEqual({
      schedule,
      nextRuns: ['13', '14', '15', '16', '17'].map((hour) => `2026-01-01T${hour}:00:00.000Z`),
    })
    const { body: list } = await call('GET /api/schedules', { as: BOB })
    expect(list).toMatchObject({ total: 1, schedules: [{ id, task: { title: 'Look' } }] })
    expect(list.schedules[0].task).not.toHaveProperty('prompt')
    const { body: changed } = await call(`PATCH /api/schedules/${id}`, {
      body: { name: 'Vienna', timezone: 'Europe/Vienna', cron: '0 0 * * *' },
      as: BOB,
    })
    expect(changed.schedule).toMatchObject({
      name: 'Vienna',
      nextRunAt: '2026-01-01T23:00:00.000Z',
      createdBy: ANN.userId,
      runsAs: ANN.userId,
    })
    expect((await call(`DELETE /api/schedules/${id}`, { as: BOB })).body).toEqual({
      message: 'Schedule deleted',
    })
    for (const request of ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/schedules/${id}`))
      expect((await call(request, { body: {} })).body.code).toBe('schedule_not_found')
    expect((await call(`POST /api/schedules/${id}/run`)).body.code).toBe('schedule_not_found')
    const { rows: audit } = await service.store.page((await import('../../lib/audit/rows.ts')).auditRows, {
      index: 'newest',
      order: 'asc',
      limit: 10,
    })
    expect(audit.map(({ action, userId }) => [action, userId])).toEqual([
      ['schedule.create', ANN.userId],
      ['schedule.change', BOB.userId],
      ['schedule.delete', BOB.userId],
    ])
    expect(await readCounter(service.store, SCHEDULE_COUNTER)).toEqual({ total: 0 })
  })

  it('says beforehand when a pattern is due, or what is wrong with it, and stores nothing', async () => {
    const { call } = await startApi()
    const preview = (query: object) =>
      call(`GET /api/schedules/preview?${new URLSearchParams({ ...query })}`, { as: BOB })
    expect((await preview({ cron: '30 9 * * MON', timezone: 'Europe/Vienna' })).body).toEqual({
      nextRuns: ['05', '12', '19', '26']
        .map((day) => `2026-01-${day}T08:30:00.000Z`)
        .concat('2026-02-02T08:30:00.000Z'),
    })
    for (const [query, path] of [
      [{ cron: '0 0 31 2 *' }, 'cron'],
      [{ timezone: 'UTC' }, 'cron'],
      [{ cron: '@daily', timezone: 'Mars/Olympus' }, 'timezone'],
    ] as const)
      expect((await preview(query)).body).toMatchObject({ code: 'validation_failed', details: [{ path }] })
    expect((await call('GET /api/schedules')).body.total).toBe(0)
  })

  it.each([
    ['no pattern', { cron: undefined }, 'cron'],
    ['six fields', { cron: '* * * * * *' }, 'cron'],
    ['never due', { cron: '0 0 31 2 *' }, 'cron'],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset', { timezone: '+01:00' }, 'timezone'],
    ['no name', { name: ' ' }, 'name'],
    ['a task without a title', { task: { prompt: 'x' } }, 'task.title'],
    ['a task with too long a limit', { task: { title: 'x', timeoutMs: 86_400_001 } }, 'task.timeoutMs'],
    ['a task for no runner', { task: { title: 'x', runsOn: [''] } }, 'task.runsOn.0'],
    ['a task without steps', { task: { title: 'x', maxSteps: 0 } }, 'task.maxSteps'],
    ['an unknown agent', { task: { title: 'x', assignedAgent: 'none' } }, 'task.assignedAgent'],
    [
      'a private repository',
      { task: { title: 'x', repository: 'https://127.0.0.1/x.git' } },
      'task.repository',
    ],
    ['a word for enabled', { enabled: 'yes' }, 'enabled'],
  ])('is refused with %s', async (_what, fault, field) => {
    const { call, id, schedule, read } = await started()
    for (const request of ['POST /api/schedules', `PATCH /api/schedules/${id}`]) {
      const body = { ...HOURLY, ...fault }
      if (request.startsWith('PATCH') && Object.values(fault).includes(undefined)) continue
      const answer = await call(request, { body })
      expect(answer.status).toBe(400)
      expect(answer.body.details.map(({ path }: { path: string }) => path)).toContain(field)
    }
    expect((await read()).schedule).toEqual(schedule)
  })

  it('makes one task at each due time, as its maker, and keeps what it made', async () => {
    const { service, call, id, tasks, read } = await started()
    service.clock.advance(HOUR_MS - 1)
    await service.schedules.runAllDue()
    expect(await tasks()).toEqual([])
    service.clock.advance(1)
    for (let n = 0; n < 3; n++) await service.schedules.runAllDue()
    const [task, ...others] = await tasks()
    expect(others).toEqual([])
    expect(task).toMatchObject({
      title: 'Look',
      prompt: 'Look around',
      source: 'cron',
      sourceId: id,
      status: 'queued',
      createdBy: ANN.userId,
    })
    const { schedule } = await read()
    expect(schedule).toMatchObject({
      lastTaskId: task.id,
      lastRunAt: '2026-01-01T13:00:00.000Z',
      nextRunAt: '2026-01-01T14:00:00.000Z',
    })
    const listed = async () => (await call('GET /api/schedules')).body.schedules[0].lastTask
    expect(await listed()).toEqual({ status: 'queued' })
    await call(`POST /api/tasks/${task.id}/cancel`)
    expect(await listed()).toEqual({ status: 'cancelled' })
  })

  it('runs once for all the due times that passed while nothing ran', async () => {
    const { service, tasks, read } = await started({ ...HOURLY, cron: '* * * * *' })
    service.clock.advance(3 * HOUR_MS + 30_000)
    await service.schedules.runAllDue()
    expect(await tasks()).toHaveLength(1)
    expect((await read()).schedule.nextRunAt).toBe('2026-01-01T15:01:00.000Z')
  })

  it('makes one task per due time with two processes that run at once', async () => {
    const { service, tasks } = await started({ ...HOURLY, cron: '* * * * *' })
    await using other = await startDomains({ background: false, after: { ...service } })
    for (let minute = 1; minute <= 20; minute++) {
      service.clock.advance(60_000)
      await Promise.all([service, other, other, service].map(({ schedules }) => schedules.runAllDue()))
      expect(await tasks()).toHaveLength(minute)
    }
  })

  it('waits while it is paused, goes on at the next due time, and can be run by hand all the same', async () => {
    const { service, call, id, tasks, read } = await started()
    const { body } = await call(`PATCH /api/schedules/${id}`, { body: { enabled: false } })
    expect(body.schedule).not.toHaveProperty('nextRunAt')
    service.clock.advance(5 * HOUR_MS)
    await service.schedules.runAllDue()
    expect(await tasks()).toEqual([])
    const ran = await call(`POST /api/schedules/${id}/run`, { as: BOB })
    expect(ran).toMatchObject({ status: 200, body: { task: { source: 'cron', createdBy: BOB.userId } } })
    const { schedule, nextRuns } = await read()
    expect(schedule).toMatchObject({ lastTaskId: ran.body.task.id, enabled: false })
    expect(nextRuns).toEqual([])
    await call(`PATCH /api/schedules/${id}`, { body: { enabled: true } })
    await service.schedules.runAllDue()
    expect(await tasks()).toHaveLength(1)
    expect((await read()).schedule.nextRunAt).toBe('2026-01-01T18:00:00.000Z')
  })

  it('is still due after a change of its name or its task', async () => {
    const { service, call, id, tasks } = await started()
    service.clock.advance(HOUR_MS)
    await call(`PATCH /api/schedules/${id}`, { body: { name: 'Other', task: { title: 'Changed' } } })
    await service.schedules.runAllDue()
    const [task] = await tasks()
    expect(task.title).toBe('Changed')
    expect(task).not.toHaveProperty('prompt')
  })

  it('runs as the user who gave it its task last, with the accounts of that user and of no other', async () => {
    const ACCOUNTS = { AUTH_MODE: 'cloud', CODEHOST_CLIENT_ID: 'app', CODEHOST_CLIENT_SECRET: 'app-secret' }
    const { service, call, id, read } = await started(HOURLY, ACCOUNTS)
    for (const { userId, role } of [ANN, BOB])
      await service.store.commit<UserRow>({
        insert: users,
        row: { id: userId, email: `${userId}@example.com`, name: userId, role, disabled: false },
      })
    await linkAccount(service, 'codehost', { userId: ANN.userId, username: 'ann', token: 'of-ann' })
    const ranAs = async () => {
      service.clock.advance(HOUR_MS)
      await service.schedules.runAllDue()
      const { createdBy } = await service.tasks.get((await read()).schedule.lastTaskId)
      return [createdBy, (await service.codeHost.accountFor(createdBy))?.token]
    }
    await call(`PATCH /api/schedules/${id}`, { body: { name: 'Renamed', enabled: true }, as: BOB })
    expect(await ranAs()).toEqual([ANN.userId, 'of-ann'])
    const task = { ...HOURLY.task, repository: 'ann/private' }
    const { body } = await call(`PATCH /api/schedules/${id}`, { body: { task }, as: BOB })
    expect(body.schedule).toMatchObject({ createdBy: ANN.userId, runsAs: BOB.userId })
    expect(await ranAs()).toEqual([BOB.userId, undefined])
  })

  it('makes tasks that are found by their ticket, at a due time and by hand', async () => {
    const ofTicket = { ...HOURLY, task: { ...HOURLY.task, sourceId: 'nightly' } }
    const { service, call, id, read } = await started(ofTicket)
    const found = async () => (await service.tasks.newestOfTicket('cron', 'nightly'))?.id
    service.clock.advance(HOUR_MS)
    await service.schedules.runAllDue()
    const { lastTaskId } = (await read()).schedule
    expect(await found()).toBe(lastTaskId)
    service.clock.advance(1)
    const { body } = await call(`POST /api/schedules/${id}/run`)
    expect(await found()).toBe(body.task.id)
  })

  it('says why it made no task, and goes on', async () => {
    const { service, id, tasks, read } = await started()
    const bad = {
      title: 'x',
      assignedAgent: 'gone',
      labels: [],
      priority: 3 as const,
      source: 'api' as const,
    }
    await service.store.commit({ update: rows, key: id, set: { task: bad } })
    service.clock.advance(HOUR_MS)
    await service.schedules.runAllDue()
    expect(await tasks()).toEqual([])
    const { schedule } = await read()
    expect(schedule).toMatchObject({
      lastError: { code: 'agent_unknown', message: expect.stringContaining('one of the registered agents') },
      nextRunAt: '2026-01-01T14:00:00.000Z',
    })
    const good = { ...bad, assignedAgent: undefined }
    await service.store.commit({ update: rows, key: id, set: { task: good as never } })
    service.clock.advance(HOUR_MS)
    await service.schedules.runAllDue()
    expect((await read()).schedule).not.toHaveProperty('lastError')
  })

  it('of which there are too many is refused', async () => {
    const { service, call } = await started()
    await service.store.commit({ update: limitedCounts, key: SCHEDULE_COUNTER, set: { count: 1_000 } })
    expect((await call('POST /api/schedules', { body: HOURLY })).body.code).toBe('too_many_schedules')
  })
})

it('schedules run by themselves, once a second', async () => {
  await using service = await startDomains()
  const call = createCaller(service)
  await call('POST /api/schedules', { body: { ...HOURLY, cron: '* * * * *' } })
  await service.pass(181_000, 500)
  expect((await call('GET /api/tasks')).body.total).toBe(3)
})
