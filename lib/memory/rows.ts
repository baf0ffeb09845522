import type * as z from 'zod'
import { collection } from '../core/collection.ts'
import type { ExcludedFile, ExperienceSchema, MemorySessionSchema, MemoryVerdict } from './schema.ts'

/** A part of a memory file, by lines from 1, the last included. `trail` are the headings above its own. */
export type StoredChunk = {
  id: string
  startLine: number
  endLine: number
  heading?: string
  trail?: readonly string[]
  text: string
}

/**
 * A memory file as it was when it was last read, with the chunks that it was cut into then: file and chunks change in one
 * write. Of a file that was deleted by hand the row stays, `removed` and without chunks, until its content changes.
 * `revision` grows with each write. `shard` spreads the rows: a first sync writes them all at once.
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
  /** How often people said that a chunk was useful, less how often they said that it was not, by its id. */
  rated?: Readonly<Record<string, number>>
  /** Which model the vectors of the chunks are by, and those, as base64; a chunk may still lack its own. */
  embeddedBy?: string
  vectors?: string
}

export const memoryFiles = collection<MemoryFileRow>({
  name: 'memoryFiles',
  within: 'shard',
  key: 'path',
  indexes: { ofShard: { within: 'shard', by: 'path' } },
  detail: ['chunks', 'vectors'],
})

/**
 * What was last made of all rows: `version` grows with it, so that a process with a copy in memory knows that it is
 * old. `listing` is what the files were then. A writer of rows holds the lease until the version says so. `indexedAt` is the
 * version whose index is stored, and `drift` how many chunks have come and gone since then.
 */
export type MemoryStateRow = {
  id: string
  version: number
  lastSync?: string
  listing?: string
  embeddedBy?: string
  indexedAt?: number | undefined
  drift?: number | undefined
  /** Of the row that says which files the last sync skipped. */
  excluded?: readonly ExcludedFile[]
  leaseToken?: string
  leaseUntil?: number
}

export const memoryState = collection<MemoryStateRow>({ name: 'memoryState', key: 'id', indexes: {} })

export type MemorySessionRow = z.output<typeof MemorySessionSchema>

export const memorySessions = collection<MemorySessionRow>({
  name: 'memorySessions',
  key: 'id',
  indexes: {
    byStatus: { within: 'status', by: 'createdAt' },
    ofConversation: { within: 'conversationId', by: 'createdAt' },
  },
})

/** What was said of a chunk or an experience that a task was given. */
export type MemoryVerdictRow = MemoryVerdict & { taskId: string }

export const memoryVerdicts = collection<MemoryVerdictRow>({
  name: 'memoryVerdicts',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
})

/** `space` is one for all: so they lie in the order of their ids, and a search misses none. */
export type ExperienceRow = z.output<typeof ExperienceSchema> & { space: string }
export const SPACE = 'all'

export const experiences = collection<ExperienceRow>({
  name: 'experiences',
  within: 'space',
  key: 'id',
  indexes: { newest: { within: 'space', by: 'id' } },
  detail: ['solution'],
})
