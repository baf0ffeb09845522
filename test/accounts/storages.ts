import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Follower, Store, Write } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { startDatabase } from '../fakes/database.ts'
import { accountCollections as collections } from './world.ts'

/** `fresh` is empty storage, `again` the same as another process sees it. */
type Medium = { fresh(): Promise<{ store: Store; again(): Store }>; close(): Promise<unknown> }

const openSqlite = async (): Promise<Medium> => ({
  fresh: async () => {
    const store = openSqliteStore({ file: ':memory:', collections, clock: createFakeClock() })
    return { store, again: () => store }
  },
  close: async () => undefined,
})

const openDynamo = async (): Promise<Medium> => {
  const { client, stop } = await startDatabase()
  return { fresh: () => openTables({ client, collections, clock: createFakeClock() }), close: stop }
}

/** Every storage that accounts are kept in. */
export const storages: [name: string, open: () => Promise<Medium>][] = [
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
]

/** A process that is slow between the head of a commit and its followers; they come when `release` is called. */
export const slow = (store: Store) => {
  const held: (() => Promise<unknown>)[] = []
  const isWrite = (follower: Follower): follower is Write<object> => !('tally' in follower)
  const commit: Store['commit'] = async (head, followers, detail) => {
    const outcome = await store.commit(head, [], detail)
    const given = typeof followers === 'function' ? [] : (followers ?? [])
    if (outcome.applied) held.push(...given.filter(isWrite).map((follower) => () => store.commit(follower)))
    return outcome
  }
  const release = () => Promise.all(held.map((write) => write()))
  return { store: { ...mortal(store, () => false), commit }, release }
}

/** A process that dies between the head of a commit and its followers, whenever `dies` says so. */
export const mortal = (store: Store, dies: () => boolean): Store => ({
  ...store,
  get: store.get.bind(store),
  page: store.page.bind(store),
  count: store.count.bind(store),
  commit: async (head, followers, detail) => {
    if (!dies()) return store.commit(head, followers, detail)
    await store.commit(head)
    throw new Error('died')
  },
})
