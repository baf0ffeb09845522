import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import type { Query, Store } from '../../../lib/ports/store.ts'
import { createInterruptedBlobs } from '../../fakes/blobs.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { openTables } from './opened.ts'

type Report = {
  id: string
  at: string
  title: string
  labels: string[]
  error?: { message: string }
  body?: string
}
const reports = collection<Report>({
  name: 'reports',
  key: 'id',
  indexes: { newest: { by: 'at' } },
  detail: ['body'],
  summary: ['id', 'at', 'title', 'labels', 'error'],
  long: ['title', 'labels', 'error'],
})
const log = collection<Report>({ name: 'log', key: 'id', indexes: {} })

const long = (letter: string) => letter.repeat(2_000)
const report = (id: string, more: Partial<Report> = {}): Report => ({
  id,
  at: `2026-01-${id.padStart(2, '0')}`,
  title: `Title ${id}`,
  labels: [],
  ...more,
})

describe('long fields of a list', () => {
  const database = databaseForTests()
  let store: Store
  /** Another process. */
  let other: Store
  const { blobs, due, kept } = createInterruptedBlobs(reports)
  const list = async (query: Partial<Query<Report>> = {}) =>
    (await store.page(reports, { index: 'newest', order: 'asc', limit: 50, ...query })).rows
  const listed = async (id: string) => (await list()).find((row) => row.id === id)

  beforeAll(async () => {
    const collections = [reports, log] as unknown as Collection[]
    const { client } = database()
    const opened = await openTables({ client, collections, clock: createClock(), blobs })
    store = opened.store
    other = opened.again()
  })

  it('stay with the row while all of them fit', async () => {
    const row = report('1', { error: { message: 'e'.repeat(500) } })
    await store.commit({ insert: reports, row })
    expect([await kept('1'), await listed('1')]).toEqual([0, row])
  })
  it('lie aside together where they do not, and come with every read', async () => {
    const row = report('2', { title: long('t'), labels: [long('l')], body: 'b' })
    const { body: _, ...light } = row
    expect((await store.commit({ insert: reports, row })).row).toEqual(light)
    expect(await kept('2')).toBe(1)
    expect([await listed('2'), await store.get(reports, '2')]).toEqual([light, light])
    expect([await store.get(reports, '2', true), (await list({ detail: true })).at(-1)]).toEqual([row, row])
  })
  it('lie aside when they are set later, and go when they are replaced', async () => {
    await store.commit({ insert: reports, row: report('3', { title: long('t') }) })
    for (const letter of ['a', 'b']) {
      const error = { message: long(letter) }
      const { row } = await store.commit({ update: reports, key: '3', set: { error } })
      expect([row, await listed('3')]).toEqual(Array(2).fill(report('3', { title: long('t'), error })))
      expect(await kept('3')).toBe(2)
    }
    await store.commit({ update: reports, key: '3', unset: ['error'] })
    expect([await kept('3'), await listed('3')]).toEqual([1, report('3', { title: long('t') })])
  })
  it('lie in a blob when rows are written with them', async () => {
    await store.commit({ insert: reports, row: report('4') })
    const change = { update: reports, key: '4', set: { error: { message: long('e') } } }
    const { row } = await store.commit(change, [{ insert: log, row: report('4') }])
    expect(await kept('4')).toBe(1)
    expect([row, await listed('4')]).toEqual(Array(2).fill(report('4', { error: { message: long('e') } })))
    expect(await store.get(log, '4')).toEqual(report('4'))
  })
  it('leave nothing behind when the row was written before them', async () => {
    await store.commit({ insert: reports, row: report('8') })
    due.put = () => other.commit({ update: reports, key: '8', set: { labels: ['first'] } })
    const change = { update: reports, key: '8', set: { error: { message: long('e') } } }
    const { row } = await store.commit(change, [{ insert: log, row: report('8') }])
    expect(row).toEqual(report('8', { labels: ['first'], error: { message: long('e') } }))
    expect(await kept('8')).toBe(1)
    await store.commit({ remove: reports, key: '8' })
  })
  it('can be searched, counted, sorted by and asked for', async () => {
    await store.commit({ insert: reports, row: report('5', { title: `zz ${long('needle')}` }) })
    const where = [{ fields: ['title' as const], contains: 'NEEDLE' }]
    expect((await list({ where })).map(({ id }) => id)).toEqual(['5'])
    expect(await store.count(reports, { index: 'newest', where })).toBe(1)
    const exact = [{ field: 'title' as const, in: [`zz ${long('needle')}`] }]
    expect(await store.count(reports, { index: 'newest', where: exact })).toBe(1)
    const range = [{ field: 'title' as const, from: 'zz', to: 'zzz' }]
    expect((await list({ where: range })).map(({ id }) => id)).toEqual(['5'])
    expect((await list({ sort: 'title' })).map(({ id }) => id)).toEqual(['1', '4', '2', '3', '5'])
    const change = (title: string) => ({ update: reports, key: '5', when: { title }, set: { labels: ['x'] } })
    expect((await store.commit(change('zz'))).applied).toBe(false)
    expect((await store.commit(change(`zz ${long('needle')}`))).applied).toBe(true)
  })
  it('are read again when they were replaced between the row and the blob', async () => {
    await store.commit({ insert: reports, row: report('6', { error: { message: long('a') } }) })
    const error = { message: long('b') }
    due.get = () => store.commit({ update: reports, key: '6', set: { error } })
    const found = await list({ where: [{ field: 'at', from: report('6').at }] })
    expect(found).toEqual([report('6', { error })])
  })
  it('leave nothing behind when their write does not apply, or their row goes', async () => {
    const row = report('7', { title: long('t') })
    await store.commit({ insert: reports, row })
    expect((await store.commit({ insert: reports, row })).applied).toBe(false)
    const error = { message: long('e') }
    await store.commit({ update: reports, key: '7', when: { at: 'never' }, set: { error } })
    expect(await kept('7')).toBe(1)
    expect((await store.commit({ remove: reports, key: '7' })).row).toEqual(row)
    expect(await kept('7')).toBe(0)
  })
})
