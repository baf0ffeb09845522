import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createLimiter } from '../../lib/limits/limiter.ts'
import { callsRows } from '../../lib/limits/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { startDynamoDb } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'

const rows = [callsRows] as unknown as readonly Collection[]
const minute = { name: 'login', calls: 3, windowMs: 60_000 }

const clock = createFakeClock()
type Opened = { store: Store; close(): Promise<unknown> }

const openSqlite = async (): Promise<Opened> => {
  const store = openSqliteStore({ file: ':memory:', collections: rows, clock })
  return { store, close: () => store.close() }
}

const openDynamo = async (): Promise<Opened> => {
  const emulator = await startDynamoDb()
  const client = openClient(emulator.endpoint)
  const { store } = await openTables({ client, collections: rows, clock })
  const close = async () => {
    await store.close()
    client.destroy()
    await emulator.stop()
  }
  return { store, close }
}

describe.each([
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
])('a limit on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const limiter = () => createLimiter({ store: opened.store, clock })

  const take = async (times: number, key: string, limit = minute) => {
    const waits: number[] = []
    for (let n = 0; n < times; n += 1) waits.push(await limiter().take(limit, key))
    return waits
  }

  it('lets its calls pass and tells all others how long to wait, of whatever process they are', async () => {
    expect(await take(5, 'ann')).toEqual([0, 0, 0, 60_000, 60_000])
  })

  it('tells the rest of the window, and lets the next window begin with a call', async () => {
    await take(3, 'bob')
    clock.advance(45_000)
    expect(await take(1, 'bob')).toEqual([15_000])
    clock.advance(15_000)
    expect(await take(4, 'bob')).toEqual([0, 0, 0, 60_000])
  })

  it('counts each key and each name for itself', async () => {
    await take(4, 'cid')
    expect(await take(1, 'dan')).toEqual([0])
    expect(await take(1, 'cid', { ...minute, name: 'signup' })).toEqual([0])
  })

  it('takes a call back while its window lasts, and no more than that', async () => {
    await limiter().giveBack(minute, 'fay')
    expect(await take(3, 'fay')).toEqual([0, 0, 0])
    await limiter().giveBack(minute, 'fay')
    expect(await take(2, 'fay')).toEqual([0, 60_000])
    clock.advance(60_000)
    await limiter().giveBack(minute, 'fay')
    expect(await take(4, 'fay')).toEqual([0, 0, 0, 60_000])
  })

  it('lets exactly its calls pass when all come at once', async () => {
    const waits = await Promise.all(Array.from({ length: 20 }, () => limiter().take(minute, 'eve')))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3)
  })
})
