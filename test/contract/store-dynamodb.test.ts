import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Collection } from '../../lib/core/collection.ts'
import type { Blobs } from '../../lib/ports/blobs.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openFollowed } from '../adapters/dynamodb/opened.ts'
import { createMemoryBlobs } from '../fakes/memory-blobs.ts'
import { storeContract } from './store.ts'
import { notes, type OpenStore } from './store-samples.ts'

type Start = () => Promise<Emulator>
type More = {
  declare?: (collections: readonly Collection[]) => readonly Collection[]
  blobs?: () => Blobs
  only?: readonly string[]
}

/** As a domain declares what its lists show: the indexes then have these fields only, and detail is read besides. */
const withSummary: NonNullable<More['declare']> = (collections) =>
  collections.map((one) =>
    one.name === notes.name
      ? {
          ...one,
          summary: [
            'title',
            'summary',
            'rank',
            'done',
            'labels',
            'metadata',
            'owner',
            'state',
            'createdAt',
            'dueAt',
          ],
        }
      : one,
  )

/** As a domain whose lists would be dear: all that can lie aside does, from within the attribute of fixed fields too. */
const withLong: NonNullable<More['declare']> = (collections) =>
  withSummary(collections).map((one) =>
    one.name === notes.name
      ? { ...one, long: ['title', 'summary', 'labels', 'metadata'], fixed: ['title', 'labels'] }
      : one,
  )

/** As a domain that declares too much to be kept, and then changes and looks for it. */
const withFixed: NonNullable<More['declare']> = (collections) =>
  withSummary(collections).map((one) =>
    one.name === notes.name ? { ...one, fixed: ['title', 'rank', 'done', 'labels', 'metadata'] } : one,
  )

const contractOn = (name: string, start: Start, { declare = (all) => all, blobs, only }: More = {}) =>
  describe(name, () => {
    let emulator: Emulator | undefined
    beforeAll(async () => {
      emulator = await start()
    })
    afterAll(() => emulator?.stop())
    const open: OpenStore = ({ collections, ...needs }) =>
      openFollowed({
        ...needs,
        endpoint: emulator?.endpoint ?? '',
        collections: declare(collections),
        ...(blobs && { blobs: blobs(), mostInside: 0, mostCopied: 0 }),
      })
    storeContract(`DynamoDB, ${name}`, open, only)
  })

/** The sections whose rows have texts that the options are about. */
const LONG = ['a conditional write', 'a commit', 'a value', 'an expiring row', 'a page', 'a search']

/**
 * `every` runs the contract with each option by itself too, as `npm run soak` does; else with none, and with all what they
 * are about.
 */
const isEvery = process.env.STORE_CONTRACTS === 'every'
if (hasDynoxide()) {
  contractOn('dynoxide', startDynoxide)
  contractOn('dynoxide, all that is long in blobs', startDynoxide, {
    declare: withLong,
    blobs: createMemoryBlobs,
    ...(!isEvery && { only: LONG }),
  })
  if (isEvery) {
    contractOn('dynoxide, indexes without detail, fixed fields in one', startDynoxide, { declare: withFixed })
    contractOn('dynoxide, all detail in blobs', startDynoxide, { blobs: createMemoryBlobs })
  }
} else {
  console.error('dynoxide is not installed for this machine: the store is tested on SQLite only')
  it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
}

const { DYNAMODB_ENDPOINT } = process.env
if (DYNAMODB_ENDPOINT)
  contractOn('DYNAMODB_ENDPOINT', async () => ({ endpoint: DYNAMODB_ENDPOINT, stop: async () => undefined }))
