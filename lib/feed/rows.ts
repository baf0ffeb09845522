import { collection } from '../core/collection.ts'

/** One stored entry. Its id derives from the id of the batch, unless its writer numbered it. */
export type StoredEntry = {
  readonly type: string
  readonly data?: object
  readonly audience?: string
  readonly id?: string
}

/**
 * The entries of one append. `id` is the id of the last one: a batch whose id is above a place has entries above it,
 * also when the place lies within it. Long entries are one text: their JSON, deflated, in base64.
 */
export type FeedBatch = {
  stream: string
  id: string
  at: string
  entries: readonly StoredEntry[] | string
  /** Epoch milliseconds. */
  expiresAt?: number
}

export const feedEntries = collection<FeedBatch>({
  name: 'feedEntries',
  within: 'stream',
  key: 'id',
  indexes: { ofStream: { within: 'stream', by: 'id' } },
  expires: 'expiresAt',
})

/** The most entries of a batch: the number of an entry has three digits in its id. */
export const MOST_IN_BATCH = 1_000

const SUFFIX = /\.\d{3}$/

/** The id of an entry by its number in a batch (`evt_01J….001`): no id of another batch sorts between them. */
export const entryId = (first: string, number: number): string =>
  number === 0 ? first : `${first}.${String(number).padStart(3, '0')}`

export const firstId = ({ id }: Pick<FeedBatch, 'id'>): string => id.replace(SUFFIX, '')
