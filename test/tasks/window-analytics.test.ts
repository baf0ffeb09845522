import { describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { createAnalytics } from '../../lib/tasks/analytics.ts'
import { taskIncrements } from '../../lib/tasks/counters.ts'
import type { TaskStatus } from '../../lib/tasks/machine.ts'
import type { CountedTask } from '../../lib/tasks/schema.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller, startApi } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

type Part = { from: string; created: number; started: number; completed: number; failed: number }

/** A life of a task: the states it comes to, and when. */
type Life = { agent: string; at: readonly (readonly [status: TaskStatus, at: string])[] }

const lifeChanges = ({ agent, at }: Life) => {
  let before: CountedTask | undefined
  return at.map(([status, time]) => {
    const after = {
      id: 'task',
      priority: 3,
      source: 'api',
      attempts: 0,
      maxAttempts: 3,
      createdBy: 'ann',
      fence: 0,
      agent,
      createdAt: time,
      queuedAt: time,
      ...before,
      status,
      updatedAt: time,
      ...(status === 'in_progress' ? { startedAt: before?.startedAt ?? time } : {}),
      ...(['completed', 'failed', 'cancelled'].includes(status) ? { completedAt: time } : {}),
    } as CountedTask
    const change = { before, after }
    before = after
    return change
  })
}

const at = (time: string) => `2026-10-25T${time}:00.000Z`
const LIVES: readonly Life[] = [
  {
    agent: 'a',
    at: [
      ['queued', at('07:01')],
      ['in_progress', at('07:02')],
      ['completed', at('07:12')],
    ],
  },
  {
    agent: 'a',
    at: [
      ['queued', at('07:03')],
      ['in_progress', at('07:04')],
      ['completed', at('07:44')],
    ],
  },
  // Its second attempt starts: what was waited for is the first.
  {
    agent: 'b',
    at: [
      ...([
        ['queued', at('06:20')],
        ['in_progress', at('06:50')],
        ['queued', at('06:55')],
      ] as const),
      ...([
        ['in_progress', at('07:40')],
        ['failed', at('07:41')],
      ] as const),
    ],
  },
  {
    agent: 'gone',
    at: [
      ['queued', at('07:42')],
      ['cancelled', at('07:43')],
    ],
  },
  // The hour from two to three comes twice on this day: the first at 00:30 in UTC, the second at 01:30.
  { agent: 'a', at: [['queued', at('00:30')]] },
  { agent: 'a', at: [['queued', at('01:30')]] },
]

describe.each(storeOpeners(collections))('the analytics of a window in %s', (_name, open) => {
  const analyticsAt = async (window: '1h' | '24h' | '7d', timezone: string) => {
    const clock = createFakeClock()
    clock.setWall(Date.parse(at('07:46')))
    const { store, close } = await open(clock)
    const changes = LIVES.flatMap(lifeChanges)
    await store.adjust(changes.flatMap(taskIncrements))
    const agents = { fallback: 'a', types: async () => ['a', 'b'], offered: async () => [] }
    const { recent } = await createAnalytics({ store, clock, agents })({ window, timezone })
    await close()
    if (recent === undefined) throw new Error('there is no window')
    return recent
  }
  const nonEmpty = (buckets: readonly Part[]) =>
    buckets
      .map(({ from, ...counts }) => [from.slice(11, 16), Object.values(counts).slice(1).join(' ')])
      .filter(([, counts]) => counts !== '0 0 0 0 0')

  it('count what happened in each five minutes of an hour', async () => {
    const { from, to, buckets } = await analyticsAt('1h', 'Europe/Berlin')
    expect([from, to, buckets.length]).toEqual([at('06:50'), at('07:50'), 12])
    expect(nonEmpty(buckets)).toEqual([
      ['06:50', '0 1 0 0 0'],
      ['07:00', '2 2 0 0 0'],
      ['07:10', '0 0 1 0 0'],
      ['07:40', '1 1 1 1 1'],
    ])
  })

  it('count by the hours and days of the zone, and an hour that comes twice twice', async () => {
    const day = await analyticsAt('24h', 'Europe/Berlin')
    expect(nonEmpty(day.buckets)).toEqual([
      ['00:00', '1 0 0 0 0'],
      ['01:00', '1 0 0 0 0'],
      ['06:00', '1 1 0 0 0'],
      ['07:00', '3 3 2 1 1'],
    ])
    const week = await analyticsAt('7d', 'America/New_York')
    expect(week.buckets).toHaveLength(7)
    expect(nonEmpty(week.buckets)).toEqual([
      ['04:00', '2 0 0 0 0'],
      ['04:00', '4 4 2 1 1'],
    ])
    expect(week.timezone).toBe('America/New_York')
  })

  it('have the percentiles of first waits and of completed runs within 5 %, of all and of each agent', async () => {
    const { wait, run, byAgent } = await analyticsAt('24h', 'UTC')
    const about = (minutes: number) => expect.closeTo(minutes * 60_000, -Math.log10(minutes * 60_000 * 0.1))
    expect(wait).toEqual({ count: 3, p50Ms: about(1), p95Ms: about(30) })
    expect(run).toEqual({ count: 2, p50Ms: about(10), p95Ms: about(40) })
    expect(Object.keys(byAgent).sort()).toEqual(['a', 'b', 'other'])
    expect(byAgent.b).toEqual({
      created: 1,
      started: 2,
      completed: 0,
      failed: 1,
      cancelled: 0,
      wait: { count: 1, p50Ms: about(30), p95Ms: about(30) },
      run: { count: 0 },
    })
    expect(byAgent.other).toMatchObject({ created: 1, cancelled: 1, wait: { count: 0 } })
  })
})

describe('GET /api/tasks/analytics?window=', () => {
  it('shows what a service did, and is not there where nobody asks for it', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent] })
    const call = createCaller(service)
    const first = await service.create()
    await service.create()
    await turns()
    await service.pass(60_000)
    agent.runs[0]?.finish()
    await turns()
    await service.tasks.cancel(ANN, agent.runs[1]?.task.id ?? first.id)
    await turns()

    const { recent } = (await call('GET /api/tasks/analytics?window=1h&timezone=Asia/Tokyo')).body
    expect(recent).toMatchObject({ window: '1h', timezone: 'Asia/Tokyo' })
    expect(recent.byAgent['test-agent']).toMatchObject({ created: 2, started: 2, completed: 1, cancelled: 1 })
    expect(recent.run.p50Ms).toBeGreaterThan(57_000)
    expect(recent.run.p50Ms).toBeLessThan(63_000)
    const byDefault = (await call('GET /api/tasks/analytics?timezone=Asia/Tokyo')).body.recent
    expect(byDefault).toMatchObject({ window: '24h', timezone: 'Asia/Tokyo' })
    expect((await call('GET /api/tasks/analytics?window=7d')).body.recent.timezone).toBe('UTC')
    expect((await call('GET /api/tasks/analytics')).body.recent).toBeUndefined()
  })

  it.each([
    ['window=2h', 'window'],
    ['window=', 'window'],
    ['window=24h&timezone=Mars/Olympus', 'timezone'],
    ['window=24h&timezone=%2B01:00', 'timezone'],
  ])('refuses %s and names the field', async (query, path) => {
    const { call } = await startApi()
    const { status, body } = await call(`GET /api/tasks/analytics?${query}`)
    expect([status, body.details]).toEqual([400, [{ path, message: expect.any(String) }]])
  })
})
