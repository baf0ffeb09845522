import { describe, expect, it } from '@jest/globals'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { type StartedApi, startApi } from '../fakes/caller.ts'
import { sampleRow, store } from './samples.ts'

const fill = async ({ service }: StartedApi, rows: readonly Partial<TaskRow>[]) => {
  for (const [at, more] of rows.entries()) {
    await store(service, sampleRow({ id: `task_${String(at).padStart(3, '0')}`, ...more }))
  }
}
const taskIds = (body: { tasks: { id: string }[] }) => body.tasks.map(({ id }) => id)

/** Every id of a list, in order, by walking its cursors. */
const walk = async ({ call }: StartedApi, path: string): Promise<string[]> => {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const joint = path.includes('?') ? '&' : '?'
    const { status, body } = await call(
      `GET ${path}${cursor ? `${joint}cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    expect(status).toBe(200)
    expect(body.count).toBe(body.tasks.length)
    seen.push(...taskIds(body))
    cursor = body.nextCursor
  } while (cursor)
  return seen
}

describe('GET /api/tasks', () => {
  it('answers an empty list as a list', async () => {
    const { call } = await startApi()
    expect((await call('GET /api/tasks')).body).toEqual({ tasks: [], total: 0, count: 0, limit: 50 })
  })

  it('shows summaries, newest first, with the total of all matches', async () => {
    const it_ = await startApi()
    const heavy = { description: 'D', prompt: 'P', metadata: { m: 1 }, result: { success: true, output: '' } }
    await fill(it_, [heavy, { ...heavy, status: 'failed', createdAt: '2026-01-01T11:30:00.000Z' }])
    const { body } = await it_.call('GET /api/tasks?limit=1')

    expect(body).toMatchObject({ total: 2, count: 1, limit: 1, nextCursor: expect.any(String) })
    expect(taskIds(body)).toEqual(['task_001'])
    for (const field of [...Object.keys(heavy), 'fence']) expect(body.tasks[0]).not.toHaveProperty(field)
    expect((await it_.call('GET /api/tasks?status=failed')).body).toMatchObject({ total: 1, count: 1 })
  })

  it('shows everything with full=true, and just what fields names besides the id', async () => {
    const it_ = await startApi()
    await fill(it_, [{ prompt: 'P', fence: 7 }])

    expect((await it_.call('GET /api/tasks?full=true')).body.tasks[0]).toMatchObject({
      prompt: 'P',
      title: 'Sample',
    })
    expect((await it_.call('GET /api/tasks?fields=prompt,%20status')).body.tasks).toEqual([
      { id: 'task_000', prompt: 'P', status: 'queued' },
    ])
    expect((await it_.call('GET /api/tasks?fields=title&full=true')).body.tasks[0]).toHaveProperty('prompt')
  })

  it('pages by offset', async () => {
    const it_ = await startApi()
    await fill(it_, Array(5).fill({}))

    const { body } = await it_.call('GET /api/tasks?limit=2&offset=3')
    expect(body).toMatchObject({ total: 5, count: 2, limit: 2, offset: 3 })
    expect(taskIds(body)).toEqual(['task_001', 'task_000'])
    expect((await it_.call('GET /api/tasks?offset=99')).body).toMatchObject({ tasks: [], total: 5, count: 0 })
  })

  it.each(['', 'status=queued&'])('walks by cursor over all rows, ties included (%s)', async (filter) => {
    const it_ = await startApi()
    await fill(it_, Array(25).fill({}))

    const seen = await walk(it_, `/api/tasks?${filter}limit=4`)
    expect(seen).toEqual([...seen].sort().reverse())
    expect(new Set(seen).size).toBe(25)
  })

  it('walks past tasks that arrive meanwhile, repeating and skipping nothing', async () => {
    const it_ = await startApi()
    await fill(it_, Array(10).fill({}))
    const first = (await it_.call('GET /api/tasks?limit=4')).body
    await it_.service.create()
    const rest = (await it_.call(`GET /api/tasks?limit=50&cursor=${first.nextCursor}`)).body

    expect([...taskIds(first), ...taskIds(rest)]).toHaveLength(10)
    expect(new Set([...taskIds(first), ...taskIds(rest)]).size).toBe(10)
  })

  it('takes a cursor only from the same list, undamaged', async () => {
    const it_ = await startApi()
    await fill(it_, Array(3).fill({}))
    const { nextCursor } = (await it_.call('GET /api/tasks?limit=1')).body
    const flipped = (nextCursor[5] === 'A' ? 'B' : 'A') + nextCursor.slice(1)

    for (const path of [
      `/api/tasks?status=queued&cursor=${nextCursor}`,
      `/api/tasks/filter?cursor=${nextCursor}`,
      `/api/dlq?cursor=${nextCursor}`,
      `/api/notifications?cursor=${nextCursor}`,
      `/api/tasks?cursor=${flipped}`,
      `/api/tasks?cursor=${nextCursor.slice(0, -1)}`,
    ]) {
      const { status, body } = await it_.call(`GET ${path}`)
      expect({ path, status, at: body.details?.[0]?.path }).toEqual({ path, status: 400, at: 'cursor' })
    }
  })
})

describe('GET /api/tasks/filter', () => {
  const rows: Partial<TaskRow>[] = [
    {
      title: 'Alpha',
      status: 'queued',
      priority: 1,
      labels: ['a', 'b'],
      repository: 'o/one',
      branch: 'next',
      source: 'api',
    },
    {
      title: 'Beta',
      status: 'completed',
      priority: 2,
      labels: ['a'],
      agent: 'other',
      createdBy: 'user_bob',
      source: 'cron',
      branch: 'release/2',
      error: { code: 'agent_failed', message: 'connection reset by peer' },
      completedAt: '2026-01-02T09:00:00.000Z',
      createdAt: '2026-01-02T08:00:00.000Z',
    },
    {
      title: 'gamma',
      status: 'failed',
      priority: 4,
      labels: [],
      prompt: 'Straße in İstanbul 100% _x',
      result: {
        success: true,
        output: 'Total is guarded now',
        filesChanged: [{ path: 'src/cart/total.ts', additions: 3 }, null],
      },
      completedAt: '2026-01-03T23:59:59.999Z',
      createdAt: '2026-01-03T00:00:00.000Z',
    },
    { title: '100% "quoted" \'text\' \\ end', status: 'queued', description: 'ÅNGSTRÖM 🚀 ΣΊΣΥΦΟΣ' },
  ]

  it.each([
    ['status=queued', [3, 0]],
    ['status=queued,failed', [2, 3, 0]],
    ['status=queued,%20failed', [2, 3, 0]],
    ['priority=1,2', [1, 0]],
    ['source=cron', [1]],
    ['agent=other', [1]],
    ['labels=a', [1, 0]],
    ['labels=a,b', [0]],
    ['repository=o/one', [0]],
    ['repository=one', []],
    ['branch=next', [0]],
    ['branch=nex', []],
    ['createdBy=user_bob', [1]],
    ['createdBy=user_ann&status=queued', [3, 0]],
    ['createdAfter=2026-01-02', [2, 1]],
    ['createdBefore=2026-01-02', [1, 3, 0]],
    ['createdAfter=2026-01-02T08:00:00Z&createdBefore=2026-01-02T08:00:00.000Z', [1]],
    ['createdAfter=2026-01-02T09:00:00%2B01:00&createdBefore=2026-01-02', [1]],
    ['createdAfter=2026-01-02T08:00:00.001Z', [2]],
    ['completedAfter=2026-01-03', [2]],
    ['completedBefore=2026-01-03', [2, 1]],
    ['completedBefore=2026-01-02', [1]],
    ['q=ALPHA', [0]],
    ['q=GAMMA', [2]],
    ['q=strasse', [2]],
    ['q=STRAßE', [2]],
    ['q=100%25', [2, 3]],
    ['q=_x', [2]],
    ['q=%25', [2, 3]],
    ['q=%22quoted%22', [3]],
    ["q='text'", [3]],
    ['q=%5C', [3]],
    ['q=ångström', [3]],
    ['q=🚀', [3]],
    ['q=σίσυφος', [3]],
    ['q=%00', []],
    ["q=';DROP TABLE tasks;--", []],
    ['q=.*', []],
    ['status=queued&labels=a&q=alp', [0]],
    ['q=task_002', [2]],
    ['q=K_003', [3]],
    ['q=release%2F2', [1]],
    ['q=o/ONE', [0]],
    ['q=agent_failed', [1]],
    ['q=PEER+reset', [1]],
    ['q=cart%2Ftotal.ts', [2]],
    ['q=guarded', [2]],
    ['q=gamma+guarded', [2]],
    ['q=alpha+guarded', []],
    ['q=additions', []],
  ] as [string, number[]][])('finds by %s', async (query, expected) => {
    const it_ = await startApi()
    await fill(it_, rows)
    const { status, body } = await it_.call(`GET /api/tasks/filter?${query}`)

    expect(status).toBe(200)
    expect(taskIds(body)).toEqual(expected.map((at) => `task_00${at}`))
    expect(body).toMatchObject({ total: expected.length, limit: 50, offset: 0 })
    for (const task of body.tasks) expect(task).not.toHaveProperty('fence')
  })

  it('says where a task was found and what was looked through, in the list too', async () => {
    const it_ = await startApi()
    await fill(it_, rows)
    const { body } = await it_.call('GET /api/tasks/filter?q=gamma+GUARDED+now')
    expect(body.tasks[0].match).toEqual({ in: 'output', text: 'Total is guarded now' })
    const list = await it_.call('GET /api/tasks?q=guarded&status=failed')
    expect(list.body).toMatchObject({ tasks: [{ title: 'gamma' }], total: 1, searched: body.searched })
    expect(list.body.tasks[0]).not.toHaveProperty('result')
    expect((await it_.call('GET /api/tasks?q=guarded&status=queued')).body.total).toBe(0)
    const cursor = (await it_.call('GET /api/tasks?q=100%25&limit=1')).body.nextCursor
    expect(taskIds((await it_.call(`GET /api/tasks?q=100%25&limit=1&cursor=${cursor}`)).body)).toEqual([
      'task_003',
    ])
    expect((await it_.call(`GET /api/tasks?q=other&cursor=${cursor}`)).status).toBe(400)
    expect((await it_.call('GET /api/tasks')).body).not.toHaveProperty('searched')
  })

  it('shows whole tasks', async () => {
    const it_ = await startApi()
    await fill(it_, rows)
    expect((await it_.call('GET /api/tasks/filter?q=gamma')).body.tasks[0]).toMatchObject({
      prompt: rows[2]?.prompt,
    })
  })

  const SORTS = ['createdAt', 'updatedAt', 'completedAt', 'priority', 'title', 'status'] as const
  it.each(SORTS.flatMap((by) => [[by, 'asc'] as const, [by, 'desc'] as const]))(
    'sorts by %s %s over a cursor walk that repeats and skips nothing',
    async (by, order) => {
      const it_ = await startApi()
      const many = Array.from({ length: 40 }, (_, at): Partial<TaskRow> => {
        const row = rows[at % 4] ?? {}
        const minute = String(at % 5).padStart(2, '0')
        return { ...row, updatedAt: `2026-01-01T11:${minute}:00.000Z` }
      })
      await fill(it_, many)

      const seen = await walk(it_, `/api/tasks/filter?sortBy=${by}&sortOrder=${order}&limit=7`)

      const stored = Object.fromEntries(
        many.map((row, at) => [`task_${String(at).padStart(3, '0')}`, sampleRow(row)]),
      )
      const values = seen.map((id) => stored[id]?.[by] ?? '')
      const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      expect(values).toEqual(order === 'asc' ? sorted : sorted.reverse())
      expect(new Set(seen).size).toBe(40)
      expect(seen).toHaveLength(40)
    },
  )

  it('takes a cursor only under the same criteria and order', async () => {
    const it_ = await startApi()
    await fill(it_, Array(3).fill({}))
    const { nextCursor } = (await it_.call('GET /api/tasks/filter?limit=1&sortBy=title')).body

    expect((await it_.call(`GET /api/tasks/filter?limit=2&sortBy=title&cursor=${nextCursor}`)).status).toBe(
      200,
    )
    for (const other of [
      'sortBy=status',
      'sortBy=title&sortOrder=asc',
      'sortBy=title&status=queued',
      'sortBy=title&q=a',
    ]) {
      expect((await it_.call(`GET /api/tasks/filter?limit=1&${other}&cursor=${nextCursor}`)).status).toBe(400)
    }
  })
})
