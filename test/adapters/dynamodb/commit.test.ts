import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { job, jobEvents, jobs, lines, note, notes, samples } from '../../contract/store-samples.ts'
import { openClient, openTables } from './opened.ts'

const line = (noteId: string) => ({ noteId, id: '1', at: 1, text: '' })

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: transactions are not tested')
const suite = hasDynoxide() ? describe : describe.skip
suite('a commit to DynamoDB', () => {
  let emulator: Emulator
  let client: DynamoDBClient
  let store: Store
  let other: Store
  let sent: string[] = []
  /** Runs once, before the next transaction is sent. */
  let before: (() => Promise<unknown>) | undefined
  /** Ends the process before it takes entries out of a row. */
  let dying = false

  beforeAll(async () => {
    emulator = await startDynoxide()
    client = openClient(emulator.endpoint)
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const first = commandName === 'TransactWriteItemsCommand' ? before : undefined
          if (first !== undefined) before = undefined
          await first?.()
          const { ConditionExpression = '' } = args.input as { ConditionExpression?: string }
          if (dying && commandName === 'UpdateItemCommand' && /^#n\d = :v\d$/.test(ConditionExpression))
            throw new Error('killed')
          sent.push(commandName.replace('Command', ''))
          return next(args)
        },
      { step: 'initialize' },
    )
    const opened = await openTables({ client, collections: samples, clock: createClock() })
    store = opened.store
    other = opened.again()
  })
  afterAll(async () => {
    client.destroy()
    await emulator.stop()
  })
  beforeEach(() => {
    sent = []
  })

  it('is one request where it is alone, with what it appends to its log', async () => {
    await store.commit({ insert: jobs, row: job('alone'), log: [{ id: 'e1' }] })
    await store.commit({ update: jobs, key: 'alone', set: { size: 1 }, log: [{ id: 'e2' }, { id: 'e3' }] })
    await store.commit({ remove: jobs, key: 'alone' })
    expect(sent).toEqual(['PutItem', 'UpdateItem', 'DeleteItem'])
  })
  it('is one transaction with rows, before which the head is read if it was there', async () => {
    await store.commit({ insert: notes, row: note('whole') }, [{ insert: lines, row: line('whole') }])
    expect(sent).toEqual(['TransactWriteItems'])
    sent = []
    await store.commit({ update: notes, key: 'whole', add: { rank: 1 } }, [
      { update: lines, key: ['whole', '1'], set: { text: 't' } },
    ])
    expect(sent).toEqual(['GetItem', 'TransactWriteItems'])
  })
  it('is thought through again when another process writes the head meanwhile', async () => {
    await store.commit({ insert: notes, row: note('moved', { rank: 1 }) })
    before = () => other.commit({ update: notes, key: 'moved', set: { title: 'meanwhile' } })
    const { row } = await store.commit(
      { update: notes, key: 'moved', when: { state: 'open' }, add: { rank: 1 } },
      [{ insert: lines, row: line('moved') }],
    )
    expect(row).toEqual(note('moved', { rank: 2, title: 'meanwhile' }))
    expect(await store.get(notes, 'moved')).toEqual(row)
  })
  it('writes nothing when the head does not apply any more', async () => {
    await store.commit({ insert: notes, row: note('late') })
    before = () => other.commit({ update: notes, key: 'late', set: { state: 'shut' } })
    const change = { update: notes, key: 'late', when: { state: 'open' }, set: { rank: 9 } }
    const outcome = await store.commit(change, [{ insert: lines, row: line('late') }])
    expect(outcome).toEqual({ applied: false, row: note('late', { state: 'shut' }), refused: 0 })
    expect(await store.get(lines, ['late', '1'])).toBeUndefined()
  })
  it('shows nothing twice when the process dies between rows of a log and the row that they leave', async () => {
    const id = (n: number) => `e${String(n).padStart(3, '0')}`
    const ids = Array.from({ length: 44 }, (_, n) => id(n))
    await store.commit({ insert: jobs, row: job('spilling'), log: [{ id: id(0) }] })
    dying = true
    for (const one of ids.slice(1))
      await store.commit({ update: jobs, key: 'spilling', add: { size: 1 }, log: [{ id: one }] })
    dying = false
    expect((await store.log(jobs, 'spilling')).map((entry) => entry.id)).toEqual(ids)
    expect(
      (await store.page(jobEvents, { index: 'ofJob', is: 'spilling', order: 'asc', limit: 99 })).rows.length,
    ).toBeGreaterThan(30)
    await store.commit({ update: jobs, key: 'spilling', add: { size: 1 }, log: [{ id: id(44) }] })
    expect((await store.log(jobs, 'spilling')).map((entry) => entry.id)).toEqual([...ids, id(44)])
    const { rows } = await store.page(jobEvents, { index: 'ofJob', is: 'spilling', order: 'asc', limit: 99 })
    expect(rows).toHaveLength(35)
  })
  it('shows rows of the log among the entries, in the order of their ids', async () => {
    await store.commit({ insert: jobs, row: job('mixed'), log: [{ id: 'e1' }, { id: 'e4' }] })
    for (const id of ['e2', 'e3', 'e5'])
      await store.commit({ insert: jobEvents, row: { jobId: 'mixed', id, type: 'progress' } })
    const ids = async (range = {}) => (await store.log(jobs, 'mixed', range)).map(({ id }) => id)
    expect(await ids()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(await ids({ after: 'e2', limit: 2 })).toEqual(['e3', 'e4'])
    expect(await ids({ after: 'e4' })).toEqual(['e5'])
  })
  it('says of a row that is too large that it is', async () => {
    const row = note('huge', { body: 'x'.repeat(410_000) })
    const refused = { kind: 'too_large', code: 'row_too_large' }
    await expect(store.commit({ insert: notes, row })).rejects.toMatchObject(refused)
    await expect(
      store.commit({ insert: notes, row: note('beside huge') }, [{ insert: notes, row }]),
    ).rejects.toMatchObject(refused)
    expect(await store.get(notes, 'beside huge')).toBeUndefined()
  })
})
