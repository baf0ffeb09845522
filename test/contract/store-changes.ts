import { expect, it } from '@jest/globals'
import type { LogEntry, Message } from '../../lib/core/collection.ts'
import type { Store } from '../../lib/ports/store.ts'
import { job, jobs } from './store-samples.ts'

/** What an adapter needs to show what follows from its commits. */
export type Following = {
  store: () => Store
  /** Resolves when everything that follows from the commits answered so far has been done. */
  drained: () => Promise<void>
  /** The messages that were delivered so far, in the order of their deliveries. */
  delivered: readonly Message[]
  /** The next delivery is refused, after it was looked at. */
  refuseNext: () => void
  /** Whether a message's row could be read whenever one was delivered. */
  allReadable: () => boolean
}

const entry = (id: string, type = 'step', more = {}): LogEntry => ({ id, type, ...more })
const paddedId = (n: number) => `e${String(n).padStart(4, '0')}`

export const logs = ({ store }: Following) => {
  it('appends what a write brings, in the order of the writes', async () => {
    await store().commit({ insert: jobs, row: job('l1'), log: [entry('e1', 'made'), entry('e2', 'seen')] })
    await store().commit({
      update: jobs,
      key: 'l1',
      set: { size: 1 },
      log: [entry('e3', 'sized', { text: 'é"\n' })],
    })
    await store().commit({ update: jobs, key: 'l1', set: { size: 2 } })
    const all = [entry('e1', 'made'), entry('e2', 'seen'), entry('e3', 'sized', { text: 'é"\n' })]
    expect(await store().log(jobs, 'l1')).toEqual(all)
    expect(await store().log(jobs, 'l1', { after: 'e1' })).toEqual(all.slice(1))
    expect(await store().log(jobs, 'l1', { after: 'e1', limit: 1 })).toEqual(all.slice(1, 2))
    expect(await store().get(jobs, 'l1', true)).toEqual(job('l1', { size: 2 }))
  })

  it('appends nothing for a write that does not apply', async () => {
    await store().commit({ insert: jobs, row: job('l2'), log: [entry('e1')] })
    await store().commit({ insert: jobs, row: job('l2'), log: [entry('e2')] })
    await store().commit({
      update: jobs,
      key: 'l2',
      when: { state: 'done' },
      set: { size: 1 },
      log: [entry('e3')],
    })
    expect(await store().log(jobs, 'l2')).toEqual([entry('e1')])
  })

  it('is empty for a row that is not there, and after an id that it does not have', async () => {
    expect(await store().log(jobs, 'nobody')).toEqual([])
    await store().commit({ insert: jobs, row: job('l3'), log: [entry('e1')] })
    expect(await store().log(jobs, 'l3', { after: 'e9' })).toEqual([])
  })

  it('keeps the entries of rows that come with a head', async () => {
    await store().commit({ insert: jobs, row: job('l4'), log: [entry('e1')] })
    await store().commit({ insert: jobs, row: job('l5'), log: [entry('e2')] }, [
      { update: jobs, key: 'l4', set: { size: 1 }, log: [entry('e3', 'by l5')] },
    ])
    expect(await store().log(jobs, 'l4')).toEqual([entry('e1'), entry('e3', 'by l5')])
    expect(await store().log(jobs, 'l5')).toEqual([entry('e2')])
  })

  it.each([
    ['100 entries', 100, ''],
    ['12 entries of 3 kB', 12, 'x'.repeat(3_000)],
  ])('keeps %s in order, readable from anywhere', async (_what, count, text) => {
    const key = `long ${count}`
    await store().commit({ insert: jobs, row: job(key), log: [entry(paddedId(0), 'made', { text })] })
    for (let n = 1; n < count; n += 1)
      await store().commit({
        update: jobs,
        key,
        set: { size: n },
        log: [entry(paddedId(n), 'step', { text })],
      })
    const ids = Array.from({ length: count }, (_, n) => paddedId(n))
    expect((await store().log(jobs, key)).map(({ id }) => id)).toEqual(ids)
    for (const at of [0, Math.floor(count / 2), count - 2])
      expect((await store().log(jobs, key, { after: paddedId(at), limit: 5 })).map(({ id }) => id)).toEqual(
        ids.slice(at + 1, at + 6),
      )
    for (const newest of [1, 11, count + 1])
      expect((await store().log(jobs, key, { newest })).map(({ id }) => id)).toEqual(
        ids.toReversed().slice(0, newest),
      )
    expect(await store().log(jobs, 'nobody', { newest: 1 })).toEqual([])
  })

  it('has each of 30 entries appended at once exactly once', async () => {
    await store().commit({ insert: jobs, row: job('rush'), log: [entry(paddedId(0))] })
    const ids = Array.from({ length: 30 }, (_, n) => paddedId(n + 1))
    await Promise.all(
      ids.map((id) => store().commit({ update: jobs, key: 'rush', add: { size: 1 }, log: [entry(id)] })),
    )
    expect((await store().log(jobs, 'rush')).map(({ id }) => id).sort()).toEqual([paddedId(0), ...ids])
  })
}

export const counters = ({ store, drained }: Following) => {
  const read = async () => {
    await drained()
    return (await store().counters('jobs')).all ?? {}
  }
  const moved = async (work: () => Promise<unknown>) => {
    const before = await read()
    await work()
    const after = await read()
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const moves = names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
    return Object.fromEntries(moves.filter(([, by]) => by !== 0))
  }

  it('counts inserts, changes and removals, of heads and of rows', async () => {
    expect(
      await moved(() => store().commit({ insert: jobs, row: job('c1') }, [{ insert: jobs, row: job('c2') }])),
    ).toEqual({ new: 2, total: 2 })
    expect(
      await moved(async () => {
        await store().commit({ update: jobs, key: 'c1', set: { state: 'ready' } })
        await store().commit({ remove: jobs, key: 'c2' })
      }),
    ).toEqual({ new: -2, ready: 1, total: -1 })
  })

  it('counts nothing for a write that does not apply, or changes nothing that is counted', async () => {
    await store().commit({ insert: jobs, row: job('c3') })
    expect(
      await moved(async () => {
        await store().commit({ insert: jobs, row: job('c3', { state: 'done' }) })
        await store().commit({ update: jobs, key: 'c3', when: { state: 'done' }, set: { state: 'ready' } })
        await store().commit({ update: jobs, key: 'c3', set: { size: 9 } })
        await store().commit({ remove: jobs, key: 'c3', when: { state: 'done' } })
      }),
    ).toEqual({})
  })

  it('keeps the least and the most, and the members from a name on', async () => {
    const days = ['2031-01-01', '2031-01-02', '2031-01-03']
    for (const [n, day] of days.entries())
      await store().commit({
        insert: jobs,
        row: job(`day ${n}`, { state: 'done', size: [5, 3, 9][n] ?? 0, createdAt: day }),
      })
    expect(await read()).toMatchObject({ smallest: 3, largest: 9 })
    expect(Object.keys(await store().counters('jobs.daily', '2031'))).toEqual(days)
    expect(await store().counters('jobs.daily', '2031-01-02')).toEqual({
      '2031-01-02': { done: 1 },
      '2031-01-03': { done: 1 },
    })
    expect(await store().counters('job')).toEqual({})
  })

  it('takes a correction', async () => {
    const correction = { counter: 'jobs', member: 'all', add: { new: 5, odd: -1 } }
    expect(await moved(() => store().adjust([correction]))).toEqual({ new: 5, odd: -1 })
    expect(await moved(() => store().adjust([{ ...correction, add: { new: -5 } }]))).toEqual({ new: -5 })
  })

  it('takes a correction of the least and the most, which replaces only what it beats', async () => {
    const extremes = async (least: number, most: number) => {
      const increment = { counter: 'jobs', member: 'corrected', add: { total: 1 } }
      await store().adjust([{ ...increment, least: { smallest: least }, most: { largest: most } }])
      return (await store().counters('jobs')).corrected
    }
    expect(await extremes(5, 5)).toEqual({ total: 1, smallest: 5, largest: 5 })
    expect(await extremes(6, 4)).toEqual({ total: 2, smallest: 5, largest: 5 })
    expect(await extremes(-1, 7)).toEqual({ total: 3, smallest: -1, largest: 7 })
    await store().adjust([{ counter: 'jobs', member: 'corrected', most: { largest: 8 } }])
    expect((await store().counters('jobs')).corrected).toMatchObject({ smallest: -1, largest: 8 })
  })

  it('shows of a member that is to expire what was counted, and nothing else', async () => {
    const correction = {
      counter: 'jobs',
      member: 'hour',
      add: { total: 1 },
      expiresAt: Date.now() + 3_600_000,
    }
    await store().adjust([correction, correction])
    expect((await store().counters('jobs')).hour).toEqual({ total: 2 })
    await store().commit({ insert: jobs, row: job('hourly', { state: 'done', createdAt: '2031-02-01' }) })
    await drained()
    expect(await store().counters('jobs.hourly')).toMatchObject({ '2031-02-01': { done: 1 } })
  })

  it('loses none of 50 at once', async () => {
    const all = () =>
      Array.from({ length: 50 }, (_, n) => store().commit({ insert: jobs, row: job(`rush ${n}`) }))
    expect(await moved(() => Promise.all(all()))).toEqual({ new: 50, total: 50 })
  })
}

export const messages = ({ store, drained, delivered, refuseNext, allReadable }: Following) => {
  const sent = async (to: string) => {
    await drained()
    return delivered.filter((one) => one.to === to)
  }

  it('sends what an applied change causes, once its row can be read', async () => {
    await store().commit({ insert: jobs, row: job('m1', { state: 'ready' }), log: [entry('m1e1')] })
    await store().commit({ insert: jobs, row: job('m2') }, [
      { insert: jobs, row: job('m3', { state: 'ready' }) },
    ])
    await store().commit({ update: jobs, key: 'm2', set: { state: 'ready' }, log: [entry('m2e1')] })
    await store().commit({
      update: jobs,
      key: 'm2',
      when: { state: 'new' },
      set: { state: 'ready' },
      log: [entry('m2e2')],
    })
    await store().commit({ update: jobs, key: 'm2', set: { size: 3 }, log: [entry('m2e3')] })
    const work = await sent('notices')
    expect(new Map(work.map(({ id, body }) => [id, body]))).toEqual(
      new Map([
        ['m1e1', { jobId: 'm1' }],
        ['m3', { jobId: 'm3' }],
        ['m2e1', { jobId: 'm2' }],
      ]),
    )
    expect(new Set((await sent('run')).map(({ id }) => id))).toEqual(new Set(['run_m1', 'run_m2', 'run_m3']))
    expect(allReadable()).toBe(true)
  })

  it('sends again what was refused, under the same id', async () => {
    refuseNext()
    await store().commit({ insert: jobs, row: job('m4', { state: 'ready' }), log: [entry('m4e1')] })
    const again = (await sent('notices')).filter(({ id }) => id === 'm4e1')
    expect(again.length).toBeGreaterThanOrEqual(1)
  })
}
