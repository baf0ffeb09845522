import { expect, it } from '@jest/globals'
import type { Collection } from '../../lib/core/collection.ts'
import { hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { createMemoryBlobs } from '../fakes/memory-blobs.ts'
import { contractOn } from './dynamodb-contract.ts'
import { notes } from './store-samples.ts'

type Declare = (collections: readonly Collection[]) => readonly Collection[]

/** As a domain declares what its lists show: the indexes then have these fields only, and detail is read besides. */
const withSummary: Declare = (collections) =>
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
const withLong: Declare = (collections) =>
  withSummary(collections).map((one) =>
    one.name === notes.name
      ? { ...one, long: ['title', 'summary', 'labels', 'metadata'], fixed: ['title', 'labels'] }
      : one,
  )

/** As a domain that declares too much to be kept, and then changes and looks for it. */
const withFixed: Declare = (collections) =>
  withSummary(collections).map((one) =>
    one.name === notes.name ? { ...one, fixed: ['title', 'rank', 'done', 'labels', 'metadata'] } : one,
  )

if (hasDynoxide()) {
  contractOn('dynoxide, all that is long in blobs', startDynoxide, {
    declare: withLong,
    blobs: createMemoryBlobs,
  })
  contractOn('dynoxide, indexes without detail, fixed fields in one', startDynoxide, { declare: withFixed })
  contractOn('dynoxide, all detail in blobs', startDynoxide, { blobs: createMemoryBlobs })
} else {
  console.error('dynoxide is not installed for this machine: the options of its adapter are not tested')
  it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
}
