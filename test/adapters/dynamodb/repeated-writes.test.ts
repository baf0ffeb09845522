import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { type Emulator, startDynamoDb } from '../../../offline/emulators.ts'
import { note, notes, samples } from '../../contract/store-samples.ts'
import { createMemoryBlobs } from '../../fakes/memory-blobs.ts'
import { openClient, openTables } from './opened.ts'

const body = 'A text that lies beside its row. '.repeat(10)

/** A write takes effect, its answer is lost, and another writer changes the row before the SDK sends it again. */
describe('a write that another one follows before it is repeated', () => {
  let emulator: Emulator
  let clients: DynamoDBClient[]
  let store: Store
  let other: Store
  let onLost: (() => Promise<unknown>) | undefined

  /** Loses the next answer to a write, after what happens meanwhile. */
  const loseAnswers = (client: DynamoDBClient) =>
    client.middlewareStack.add(
      (send, { commandName = '' }) =>
        async (args) => {
          const answer = await send(args)
          const meanwhile = /^(Put|Update)Item/.test(commandName) ? onLost : undefined
          if (meanwhile === undefined) return answer
          onLost = undefined
          await meanwhile()
          throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
        },
      { step: 'deserialize', priority: 'high', name: 'loseAnswers' },
    )

  beforeAll(async () => {
    emulator = await startDynamoDb()
    clients = [openClient(emulator.endpoint), openClient(emulator.endpoint)]
    const [client, second] = clients as [DynamoDBClient, DynamoDBClient]
    loseAnswers(client)
    const parts = { collections: samples, clock: createClock(), blobs: createMemoryBlobs(), mostInside: 100 }
    const { store: first, again } = await openTables({ client, ...parts })
    store = first
    other = again({ client: second })
  })
  afterAll(async () => {
    for (const client of clients) client.destroy()
    await emulator.stop()
  })

  it('keeps the text that a new row points to', async () => {
    onLost = () => other.commit({ update: notes, key: 'new', set: { state: 'claimed' } })
    await store.commit({ insert: notes, row: note('new', { body }) })
    expect(onLost).toBeUndefined()
    expect(await other.get(notes, 'new', true)).toEqual(note('new', { body, state: 'claimed' }))
  })

  it('keeps the text that a change put into a row', async () => {
    await store.commit({ insert: notes, row: note('changed') })
    onLost = () => other.commit({ update: notes, key: 'changed', set: { state: 'claimed' } })
    await store.commit({ update: notes, key: 'changed', when: { state: 'open' }, set: { body } })
    expect(onLost).toBeUndefined()
    expect((await other.get(notes, 'changed', true))?.body).toBe(body)
  })

  it('removes the text of a row that was not stored', async () => {
    await store.commit({ insert: notes, row: note('there', { body: 'the first '.repeat(20) }) })
    expect((await store.commit({ insert: notes, row: note('there', { body }) })).applied).toBe(false)
    expect((await store.get(notes, 'there', true))?.body).toBe('the first '.repeat(20))
  })
})
