import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { declared, job, jobs, openJobs } from './samples.ts'

describe('a sweep', () => {
  it('removes what has expired, oldest first and no more than it may', async () => {
    const clock = createFakeClock()
    const store = openJobs(':memory:', clock)
    const until = [3, 1, 2, 5].map((seconds) => clock.now() + seconds * 1_000)
    for (const [n, at] of until.entries())
      await store.commit({ insert: jobs, row: job(n, { until: at, body: 'heavy' }) })
    await store.commit({ insert: jobs, row: job(4) })
    expect(await store.sweep(10)).toBe(0)
    clock.advance(3_000)
    expect(await store.sweep(2)).toBe(2)
    expect(await store.sweep(2)).toBe(1)
    expect(await store.sweep(2)).toBe(0)
    const { rows } = await store.page(jobs, { index: 'newest', order: 'asc', limit: 9, detail: true })
    expect(rows).toEqual([job(3, { until: until[3] ?? 0, body: 'heavy' }), job(4)])
    await store.close()
  })
  it('takes the detail along: nothing of it shows in a row that is stored in the same place', async () => {
    const clock = createFakeClock()
    const store = openJobs(':memory:', clock)
    await store.commit({ insert: jobs, row: job(1, { until: clock.now() + 1, body: 'heavy' }) })
    clock.advance(1)
    expect(await store.sweep(1)).toBe(1)
    await store.commit({ insert: jobs, row: job(2) })
    expect(await store.get(jobs, 'j2', true)).toEqual(job(2))
    await store.close()
  })
  it('counts the rows of all collections towards its limit', async () => {
    const clock = createFakeClock()
    const more = { ...jobs, name: 'more' }
    const store = openSqliteStore({ file: ':memory:', clock, collections: declared(jobs, more) })
    for (const target of [jobs, more])
      for (const n of [1, 2]) await store.commit({ insert: target, row: job(n, { until: clock.now() }) })
    expect([await store.sweep(3), await store.sweep(3)]).toEqual([3, 1])
    await store.close()
  })
  it('removes the members of counters that have expired, within its limit, and leaves those of others', async () => {
    const clock = createFakeClock()
    const start = clock.now()
    const hourly: typeof jobs = {
      ...jobs,
      counts: ({ after }) => [
        {
          counter: 'hourly',
          member: String(after?.at),
          add: { one: 1 },
          expiresAt: start + Number(after?.at),
        },
        { counter: 'jobs', member: 'all', add: { one: 1 } },
      ],
    }
    const store = openSqliteStore({ file: ':memory:', clock, collections: declared(hourly) })
    for (const n of [1, 1, 2, 3, 9])
      await store.commit({ insert: hourly, row: job(n, { id: `${n}`, at: `${n}` }) })
    clock.advance(3)
    expect([await store.sweep(2), await store.sweep(2), await store.sweep(2)]).toEqual([2, 1, 0])
    expect(await store.counters('hourly')).toEqual({ 9: { one: 1 } })
    expect(await store.counters('jobs')).toEqual({ all: { one: 4 } })
    await store.close()
  })
  it('goes on past rows that cannot be counted, and logs their collection', async () => {
    const clock = createFakeClock()
    const log = createFakeLog()
    const broken: typeof jobs = {
      ...jobs,
      name: 'broken',
      counts: ({ before, after }) => {
        if (after === undefined && before?.state === 'odd') throw new Error('a state that there is not')
        return []
      },
    }
    const store = openSqliteStore({ file: ':memory:', clock, log, collections: declared(broken, jobs) })
    for (const [n, state] of ['odd', 'open', 'odd'].entries())
      await store.commit({ insert: broken, row: job(n, { state, until: clock.now() + 1 }) })
    await store.commit({ insert: jobs, row: job(4, { until: clock.now() + 1 }) })
    clock.advance(1)
    for (const removed of [2, 0]) {
      expect(await store.sweep(10)).toBe(removed)
      expect(log.entries.at(-1)).toMatchObject({
        level: 'error',
        fields: { collection: 'broken', rows: 2, reason: 'a state that there is not' },
      })
    }
    expect(await store.counters('jobs')).toEqual({ all: { count: 0 } })
    await store.close()
  })
})
