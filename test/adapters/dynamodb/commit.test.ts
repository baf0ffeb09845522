import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { lines, type Note, note, notes, samples } from '../../contract/store-samples.ts'
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

  beforeAll(async () => {
    emulator = await startDynoxide()
    client = openClient(emulator.endpoint)
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const first = commandName === 'TransactWriteItemsCommand' ? before : undefined
          if (first !== undefined) before = undefined
          await first?.()
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

  it('is one request for the head, and one for each event and each total', async () => {
    await store.commit({ insert: notes, row: note('plain') }, [
      { insert: lines, row: line('plain') },
      { tally: 'plain', member: 'all', add: { n: 1 } },
      { tally: 'plain', member: 'all', add: { n: 1 }, most: { last: 1 } },
    ])
    expect(sent.toSorted()).toEqual(['PutItem', 'PutItem', 'UpdateItem'])
  })
  it('reads nothing where events and totals follow from the row that the head leaves', async () => {
    await store.commit({ insert: notes, row: note('derived', { rank: 1 }) })
    sent = []
    await store.commit<Note>({ update: notes, key: 'derived', add: { rank: 1 } }, (row) => [
      { insert: lines, row: { ...line('derived'), at: row.rank ?? 0 } },
    ])
    expect(sent).toEqual(['UpdateItem', 'PutItem'])
    expect((await store.get(lines, ['derived', '1']))?.at).toBe(2)
  })
  it('is one transaction where rows must not be without the head', async () => {
    await store.commit({ insert: notes, row: note('whole') }, [
      { insert: notes, row: note('its other half') },
      { tally: 'whole', member: 'all', add: { n: 1 } },
    ])
    expect(sent).toEqual(['TransactWriteItems', 'UpdateItem'])
  })
  it('reads the row first where such rows follow from it, once more when somebody writes it meanwhile', async () => {
    await store.commit({ insert: notes, row: note('moved', { rank: 1 }) })
    sent = []
    before = () => other.commit({ update: notes, key: 'moved', set: { title: 'meanwhile' } })
    const { row } = await store.commit<Note>(
      { update: notes, key: 'moved', when: { state: 'open' }, add: { rank: 1 } },
      ({ title, rank }) => [{ insert: notes, row: note('of moved', { title: `${title} ${rank}` }) }],
    )
    const twice = ['GetItem', 'TransactWriteItems']
    expect(sent.filter((command) => command !== 'UpdateItem')).toEqual([...twice, ...twice])
    expect(row).toEqual(note('moved', { rank: 2, title: 'meanwhile' }))
    expect((await store.get(notes, 'of moved'))?.title).toBe('meanwhile 2')
  })
  it('writes neither when the head does not apply any more', async () => {
    await store.commit({ insert: notes, row: note('late') })
    before = () => other.commit({ update: notes, key: 'late', set: { state: 'shut' } })
    const outcome = await store.commit(
      { update: notes, key: 'late', when: { state: 'open' }, set: { rank: 9 } },
      [{ insert: notes, row: note('of late') }],
    )
    expect(outcome).toEqual({ applied: false, row: note('late', { state: 'shut' }) })
    expect(await store.get(notes, 'of late')).toBeUndefined()
  })
  it('writes what comes to one row again after the transaction, and before all else', async () => {
    await store.commit({ insert: notes, row: note('twice', { rank: 1 }) }, [
      { insert: lines, row: line('twice') },
      { insert: notes, row: note('beside twice', { rank: 1 }) },
      { update: notes, key: 'beside twice', add: { rank: 1 } },
      { update: notes, key: 'twice', add: { rank: 1 } },
    ])
    expect(sent).toEqual(['TransactWriteItems', 'UpdateItem', 'UpdateItem', 'PutItem'])
    expect((await store.get(notes, 'beside twice'))?.rank).toBe(2)
    expect((await store.get(notes, 'twice'))?.rank).toBe(2)
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
