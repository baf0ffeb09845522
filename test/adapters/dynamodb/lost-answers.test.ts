import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { job, jobs, lines, note, notes, samples } from '../../contract/store-samples.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { type Fault, injectFaults } from './faults.ts'
import { openClient, openTables } from './opened.ts'

/** A write took effect, its answer was lost, and the SDK sent it again: it is to count once, as applied. */
describe('a write whose answer is lost', () => {
  const database = databaseForTests()
  let store: Store
  let other: Store
  /** What another process does before the next lost answer. */
  let meanwhile: (() => Promise<unknown>) | undefined
  const due = new Map<string, Fault[]>()

  beforeAll(async () => {
    const { client } = database()
    const second = openClient(database().endpoint)
    injectFaults(
      client,
      (command) => due.get(command)?.shift(),
      async () => {
        const first = meanwhile
        meanwhile = undefined
        await first?.()
      },
    )
    const opened = await openTables({ client, collections: samples, clock: createClock() })
    store = opened.store
    other = opened.again({ client: second })
  })
  /** Of the next call of this command. */
  const loseAnswer = (command: string) => due.set(command, ['unanswered'])
  const taken = () => [...due.values()].every((faults) => faults.length === 0)

  it('is an insert that applied', async () => {
    loseAnswer('PutItemCommand')
    expect(await store.commit({ insert: notes, row: note('put') })).toEqual({
      applied: true,
      row: note('put'),
    })
    expect(taken()).toBe(true)
  })
  it('is an update that applied, although its condition does not hold any more', async () => {
    await store.commit({ insert: notes, row: note('update') })
    loseAnswer('UpdateItemCommand')
    const change = { update: notes, key: 'update', when: { state: 'open' }, set: { state: 'shut' } }
    expect(await store.commit(change)).toEqual({ applied: true, row: note('update', { state: 'shut' }) })
    expect((await store.commit(change)).applied).toBe(false)
    expect(taken()).toBe(true)
  })
  it('is an addition that counts once', async () => {
    await store.commit({ insert: notes, row: note('add', { rank: 1 }) })
    loseAnswer('UpdateItemCommand')
    const { row } = await store.commit({ update: notes, key: 'add', add: { rank: 1 } })
    expect(row?.rank).toBe(2)
    expect((await store.get(notes, 'add'))?.rank).toBe(2)
  })
  it('is a change that had to read first, which counts once', async () => {
    const row = { noteId: 'n', id: 'l', at: 1, text: 't' }
    await store.commit({ insert: lines, row })
    loseAnswer('PutItemCommand')
    const { applied, row: after } = await store.commit({ update: lines, key: ['n', 'l'], add: { at: 1 } })
    expect({ applied, after }).toEqual({ applied: true, after: { ...row, at: 2 } })
    expect((await store.get(lines, ['n', 'l']))?.at).toBe(2)
  })
  it('is a change that counts once and appends its entry once, without a condition and after another write', async () => {
    await store.commit({ insert: jobs, row: job('log', { size: 0 }) })
    const change = { update: jobs, key: 'log', add: { size: 1 } }
    loseAnswer('UpdateItemCommand')
    expect((await store.commit({ ...change, log: [{ id: 'e1' }] })).row?.size).toBe(1)
    meanwhile = () => other.commit({ ...change, log: [{ id: 'e3' }] })
    loseAnswer('UpdateItemCommand')
    expect((await store.commit({ ...change, log: [{ id: 'e2' }] })).applied).toBe(true)
    expect((await store.get(jobs, 'log'))?.size).toBe(3)
    expect((await store.log(jobs, 'log')).map(({ id }) => id)).toEqual(['e1', 'e2', 'e3'])
  })
  it('is a removal whose outcome is unknown', async () => {
    await store.commit({ insert: notes, row: note('gone') })
    loseAnswer('DeleteItemCommand')
    await expect(store.commit({ remove: notes, key: 'gone' })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await store.get(notes, 'gone')).toBeUndefined()
  })
  it('is a head with its rows', async () => {
    await store.commit({ insert: notes, row: note('beside', { rank: 0 }) })
    await store.commit({ insert: notes, row: note('head') })
    loseAnswer('TransactWriteItemsCommand')
    const { applied } = await store.commit(
      { update: notes, key: 'head', when: { state: 'open' }, set: { state: 'shut' } },
      [
        { update: notes, key: 'beside', add: { rank: 1 } },
        { insert: lines, row: { noteId: 'head', id: '1', at: 1, text: '' } },
      ],
    )
    expect(applied).toBe(true)
    expect((await store.get(notes, 'beside'))?.rank).toBe(1)
    expect(await store.get(lines, ['head', '1'])).toBeDefined()
    expect(taken()).toBe(true)
  })
})
