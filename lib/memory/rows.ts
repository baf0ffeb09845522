import { collection } from '../core/collection.ts'
import { LOST_TEXT } from '../core/truncated.ts'
import type { ExcludedFile, Experience, MemoryChunk, MemorySession, MemoryVerdict } from './schema.ts'

/** A part of a memory file: its path is that of the row. */
export type StoredChunk = Omit<MemoryChunk, 'path'>

/**
 * A memory file at its last read, with the chunks of that content: file and chunks change in one write. The row of a file
 * that a user removed stays, `removed` and without chunks, until the content changes. `revision` grows with each write.
 * `shard` spreads the rows: a first sync writes them all at once.
 */
export type MemoryFileRow = {
  shard: string
  path: string
  hash: string
  tag: string
  size: number
  updatedAt: string
  revision: number
  removed?: boolean
  chunks: readonly StoredChunk[]
  /** The sum of people's ratings of each chunk, by its id. */
  rated?: Readonly<Record<string, number>>
  /** The model of the chunks' vectors, and the vectors as base64; a chunk may still lack its own. */
  embeddedBy?: string
  vectors?: string
}

export const memoryFiles = collection<MemoryFileRow>({
  name: 'memoryFiles',
  within: 'shard',
  key: 'path',
  indexes: { ofShard: { within: 'shard', by: 'path' } },
  detail: ['chunks', 'vectors'],
  placeholders: { chunks: [] },
})

/**
 * The state of all rows: `version` grows with each publication, so that a process notices that its cache is old.
 * `listing` is the listing of files at that time. A writer of rows holds the lease until it publishes. `indexedAt` is the
 * version of the stored index, and `drift` the number of chunks added and removed since.
 */
export type MemoryStateRow = {
  id: string
  version: number
  lastSync?: string
  listing?: string
  embeddedBy?: string
  indexedAt?: number | undefined
  drift?: number | undefined
  /** The row with the files that the last sync skipped. */
  excluded?: readonly ExcludedFile[]
  leaseToken?: string
  leaseUntil?: number
}

export const memoryState = collection<MemoryStateRow>({ name: 'memoryState', key: 'id', indexes: {} })

export const memorySessions = collection<MemorySession>({
  name: 'memorySessions',
  key: 'id',
  indexes: {
    byStatus: { within: 'status', by: 'createdAt' },
    ofConversation: { within: 'conversationId', by: 'createdAt' },
  },
})

/** The verdict about a chunk or an experience that a task was given. */
export type MemoryVerdictRow = MemoryVerdict & { taskId: string }

export const memoryVerdicts = collection<MemoryVerdictRow>({
  name: 'memoryVerdicts',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
})

/** All rows share one `space`, so that they are in the order of their ids, and a search misses none. */
export type ExperienceRow = Experience & { space: string }
export const SPACE = 'all'

export const experiences = collection<ExperienceRow>({
  name: 'experiences',
  within: 'space',
  key: 'id',
  indexes: { newest: { within: 'space', by: 'id' } },
  detail: ['solution'],
  placeholders: { solution: LOST_TEXT },
})
