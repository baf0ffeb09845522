import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { type Change, collection, type Message } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile, type Job, job, jobs, lines } from './samples.ts'

type Event = { jobId: string; id: string }
const events = collection<Event>({
  name: 'events',
  within: 'jobId',
  key: 'id',
  indexes: { ofJob: { within: 'jobId', by: 'id' } },
})

/** Jobs with a log, and all that was asked of their declaration, in its order. */
const opened = (file = ':memory:') => {
  const clock = createFakeClock()
  const changes: Change<Job>[] = []
  const delivered: string[] = []
  const followed = collection<Job, 'body', 'at'>({
    ...jobs,
    detail: ['body'],
    log: events,
    long: ['at'],
    sends: (change): Message[] => {
      // Asserted for the checks below, which name the fields that storage hands over.
      changes.push(change as Change<Job>)
      const what = change.after ? 'is' : 'was'
      return [{ to: 'notices', id: `${what} ${(change.after ?? change.before)?.id}`, body: {} }]
    },
  })
  const deliver = async (messages: readonly Message[]) => void delivered.push(...messages.map(({ id }) => id))
  const store = openSqliteStore({ file, clock, collections: declared(followed, events, lines), deliver })
  store.start()
  const log = async (key: string) => (await store.log(followed, key)).map(({ id }) => id)
  /** How many entries there are, of rows that are gone too. */
  const entries = async (key: string) => store.count(events, { index: 'ofJob', is: key })
  return { store, clock, changes, delivered, followed, log, entries }
}

describe('a change', () => {
  it('shows counters no detail and no long field, and messages no detail: others do not compile', () => {
    const { indexes } = jobs
    const common = { name: 'typed', key: 'id', indexes, detail: ['body'], long: ['at'] } as const
    const typed = collection<Job, 'body', 'at'>({
      ...common,
      // @ts-expect-error A long field may be missing at one time and there at another: the counter would drift.
      counts: ({ after }) => [{ counter: 'typed', member: String(after?.at), add: {} }],
      // @ts-expect-error Detail is not there.
      sends: ({ after }) => [{ to: 'notices', id: String(after?.body), body: {} }],
    })
    expect(typed).toMatchObject(common)
  })

  it('has the light fields before and after, no detail, and the log', async () => {
    const { store, changes, followed } = opened()
    const entry = { id: 'e1', text: 't' }
    await store.commit({ insert: followed, row: job(1, { body: 'heavy', rank: 1 }), log: [entry] })
    await store.commit({ update: followed, key: 'j1', add: { rank: 1 }, set: { body: 'other' } })
    await store.commit({ remove: followed, key: 'j1' })
    const light = (rank: number) => ({ id: 'j1', state: 'open', rank, at: '000001' })
    expect(changes).toEqual([
      { before: undefined, after: light(1), log: [entry] },
      { before: light(1), after: light(2), log: [] },
      { before: light(2), after: undefined, log: [] },
    ])
    await store.close()
  })

  it('is the end of an expired row, by a sweep or by the row that takes its place', async () => {
    const { store, clock, changes, delivered, followed, log, entries } = opened()
    const until = clock.now() + 1_000
    for (const n of [1, 2])
      await store.commit({ insert: followed, row: job(n, { until }), log: [{ id: `e${n}` }] })
    clock.advance(1_000)
    expect([await log('j1'), await entries('j1')]).toEqual([[], 1])
    expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
    changes.length = 0
    await store.commit({ insert: followed, row: job(1), log: [{ id: 'e3' }] })
    expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
    expect(await store.sweep(9)).toBe(1)
    expect(await store.counters('jobs')).toEqual({ all: { count: 1 } })
    expect(changes.map(({ before, after }) => [before?.id, after?.id])).toEqual([
      ['j1', undefined],
      [undefined, 'j1'],
      ['j2', undefined],
    ])
    expect(delivered.slice(2)).toEqual(['was j1', 'is j1', 'was j2'])
    expect([await log('j1'), await log('j2'), await entries('j2')]).toEqual([['e3'], [], 0])
    await store.close()
  })
})

describe('a log', () => {
  it('goes with its row, entries that are not committed yet included, and begins anew', () =>
    inFile(async (file) => {
      const { store, followed, log, entries } = opened(file)
      await store.commit({ insert: followed, row: job(1), log: [{ id: 'e1' }, { id: 'e2' }] })
      await Promise.all([
        store.commit({ update: followed, key: 'j1', set: { rank: 1 }, log: [{ id: 'e3' }] }),
        store.commit({ remove: followed, key: 'j1' }),
        store.commit({ insert: followed, row: job(1), log: [{ id: 'e2' }, { id: 'e4' }] }),
      ])
      expect(await log('j1')).toEqual(['e2', 'e4'])
      await store.commit({ remove: followed, key: 'j1' })
      expect([await log('j1'), await entries('j1')]).toEqual([[], 0])
      await store.close()
    }))

  it('refuses an entry that it has, and entries of a collection without one', async () => {
    const { store, followed, log } = opened()
    await store.commit({ insert: followed, row: job(1), log: [{ id: 'e1' }] })
    const again = store.commit({ update: followed, key: 'j1', set: { rank: 7 }, log: [{ id: 'e1' }] })
    await expect(again).rejects.toThrow('UNIQUE constraint failed: events.jobId, events.id')
    const line = { owner: 'one', id: 'a', text: '' }
    await expect(store.commit({ insert: lines, row: line, log: [{ id: 'e1' }] })).rejects.toThrow(TypeError)
    expect([(await store.get(followed, 'j1'))?.rank, await log('j1')]).toEqual([undefined, ['e1']])
    expect(await store.get(lines, ['one', 'a'])).toBeUndefined()
    await store.close()
  })

  it.each([
    ['no index by its key', { ...events, indexes: {} }],
    ['no owner', { name: 'events', key: 'id', indexes: { all: { by: 'id' } } }],
  ])('cannot be a collection with %s', (_, log) => {
    const collections = declared({ ...jobs, log }, log)
    const open = () => openSqliteStore({ file: ':memory:', clock: createFakeClock(), collections })
    expect(open).toThrow('events cannot be the log of jobs')
  })
})

describe('a commit that is refused or throws', () => {
  it('leaves nothing of rows, logs, counters and messages, also of rows that wait to be written', () =>
    inFile(async (file) => {
      const { store, delivered, followed, log } = opened(file)
      const line = (id: string) => ({ insert: lines, row: { owner: 'one', id, text: 'first' } })
      await store.commit({ insert: followed, row: job(1), log: [{ id: 'e1' }] })
      const all = [
        store.commit({ update: followed, key: 'j1', set: { rank: 1 }, log: [{ id: 'e2' }] }),
        store.commit({ update: followed, key: 'j1', set: { rank: 2 }, log: [{ id: 'e3' }] }, [
          line('a'),
          { insert: followed, row: job(2), log: [{ id: 'e1' }] },
          { update: followed, key: 'j1x', set: { rank: 1 } },
        ]),
        store.commit({ remove: followed, key: 'j1' }, [line('b'), { insert: followed, row: job(1) }]),
        store.commit(line('c')),
      ]
      expect(await Promise.allSettled(all)).toMatchObject([
        { value: { applied: true } },
        { value: { applied: false, row: undefined, refused: 3 } },
        { status: 'rejected', reason: expect.any(TypeError) },
        { value: { applied: true } },
      ])
      expect(await store.page(followed, { index: 'newest', order: 'asc', limit: 9 })).toMatchObject({
        rows: [job(1, { rank: 1 })],
      })
      expect([await log('j1'), await log('j2')]).toEqual([['e1', 'e2'], []])
      const { rows } = await store.page(lines, { index: 'ofOwner', is: 'one', order: 'asc', limit: 9 })
      expect(rows.map(({ id }) => id)).toEqual(['c'])
      expect(await store.counters('jobs')).toEqual({ all: { count: 1 } })
      expect(delivered).toEqual(['is j1', 'is j1'])
      await store.close()
    }))
})
