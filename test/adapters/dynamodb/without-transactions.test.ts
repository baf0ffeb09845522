import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { startDynalite } from '../../../offline/emulators.ts'
import { lines, note, notes, samples } from '../../contract/store-samples.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { openTables } from './opened.ts'

type Sent = { TableName?: string }
const refusal = (name: string) => Object.assign(new Error('not now'), { name, $metadata: {} })

describe('a commit to a DynamoDB without transactions', () => {
  const database = databaseForTests(startDynalite)
  let store: Store
  /** The end of the name of a table that refuses every write. */
  let refused = 'none'
  let written: string[] = []

  beforeAll(async () => {
    const { client } = database()
    const opened = await openTables({ client, collections: samples, clock: createClock() })
    store = opened.store
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const { TableName: table = '' } = args.input as Sent
          if (commandName !== 'GetItemCommand') written.push(table.slice(table.lastIndexOf('-') + 1))
          if (table.endsWith(`-${refused}`)) throw refusal('InternalServerError')
          return next(args)
        },
      { step: 'initialize' },
    )
    // The first one that would be a transaction finds out that there are none.
    await store.commit({ insert: notes, row: note('first') }, [{ insert: notes, row: note('beside first') }])
  })
  afterEach(() => {
    refused = 'none'
  })

  it.each([
    ['the totals', 'tallies'],
    ['an event', 'lines'],
  ])('has written the rows that must not be without it when %s are refused', async (_, table) => {
    const [head, other, again] = [`head ${table}`, `other ${table}`, `again ${table}`]
    await store.commit({ insert: notes, row: note(other) })
    await store.commit({ insert: notes, row: note(again, { rank: 1 }) })
    refused = table
    const followers = [
      { insert: lines, row: { noteId: head, id: '1', at: 1, text: '' } },
      { tally: 'refused', member: 'all', add: { n: 1 } },
      { update: notes, key: other, when: { state: 'open' }, set: { state: 'shut' } },
      { update: notes, key: again, add: { rank: 1 } },
      { update: notes, key: again, add: { rank: 1 } },
    ] as const
    await expect(store.commit({ insert: notes, row: note(head) }, followers)).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect((await store.get(notes, other))?.state).toBe('shut')
    expect((await store.get(notes, again))?.rank).toBe(3)
  })

  it('writes them next to it, before all else', async () => {
    written = []
    await store.commit({ insert: notes, row: note('ordered') }, [
      { tally: 'ordered', member: 'all', add: { n: 1 } },
      { insert: lines, row: { noteId: 'ordered', id: '1', at: 1, text: '' } },
      { insert: notes, row: note('beside ordered') },
    ])
    expect(written.slice(0, 2)).toEqual(['notes', 'notes'])
    expect(written.slice(2).toSorted()).toEqual(['lines', 'tallies'])
  })
})
