import * as z from 'zod'

/** How memory is searched: by words alone, or by meaning as well. */
export const SearchMethodSchema = z.enum(['lexical', 'hybrid'])
export type SearchMethod = z.output<typeof SearchMethodSchema>

export const MemoryFileSchema = z.object({
  path: z.string(),
  /** SHA-256 of its bytes, in hexadecimal. */
  hash: z.string(),
  /** In bytes. */
  size: z.number(),
  chunks: z.number(),
  /** When its content was last taken in. */
  updatedAt: z.string(),
})

/** A part of a file: lines from 1, the last included. `trail` are the headings above its own, the outermost first. */
export const MemoryChunkSchema = z.object({
  id: z.string(),
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  heading: z.string().optional(),
  trail: z.array(z.string()).optional(),
  text: z.string(),
})
export type MemoryChunk = z.output<typeof MemoryChunkSchema>

/**
 * `score` is from 0 to 1; `foundBy` says which ways of searching found the chunk: the words of the question, its meaning, or words
 * that a model added to it. `terms` are the words that did, as they are indexed, by their stems.
 */
export const FoundChunkSchema = MemoryChunkSchema.extend({
  score: z.number(),
  foundBy: z.array(z.enum(['words', 'meaning', 'expansion'])),
  terms: z.array(z.string()),
})
export type FoundBy = FoundChunk['foundBy'][number]
export type FoundChunk = z.output<typeof FoundChunkSchema>

/**
 * Why a file is none of memory. `bad_name` and `path_too_long` are of its name, `too_many` of those past the 20,000th;
 * `unreadable` could not be read this time, `removed` was deleted from memory by hand.
 */
const ExclusionSchema = z.enum([
  'too_large',
  'not_utf8',
  'binary',
  'bad_name',
  'path_too_long',
  'too_many',
  'link',
  'unreadable',
  'removed',
])
export const ExcludedFileSchema = z.object({ path: z.string(), reason: ExclusionSchema })
export type ExcludedFile = z.output<typeof ExcludedFileSchema>

/** How many files are in step, and what had to be done for it. */
export const SyncResultSchema = z.object({
  synced: z.number(),
  added: z.number(),
  updated: z.number(),
  removed: z.number(),
  /** Files that are none for memory, and why; at most 100 are named. */
  skipped: z.array(ExcludedFileSchema).optional(),
  /** Chunks that are found by words alone for now, since the model gave no vectors for them, and what it said. */
  embedding: z.object({ missing: z.number(), reason: z.string() }).optional(),
})
export type SyncResult = z.output<typeof SyncResultSchema>

export const SessionStatusSchema = z.enum(['active', 'archived'])

/** A stretch of work that memory is kept for. */
export const MemorySessionSchema = z.object({
  id: z.string(),
  name: z.string(),
  conversationId: z.string().optional(),
  status: SessionStatusSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().optional(),
  createdBy: z.string(),
})
export type MemorySession = z.output<typeof MemorySessionSchema>

/** The last that was said on the page of a task of a chunk or an experience, by its id. */
export const MemoryVerdictSchema = z.object({ id: z.string(), useful: z.boolean(), at: z.string() })
export type MemoryVerdict = z.output<typeof MemoryVerdictSchema>

export const ExperienceTypeSchema = z.enum([
  'tool_chain',
  'user_preference',
  'task_solution',
  'error_recovery',
])

/** What was learned from a piece of work, to be found when something like it comes up. */
export const ExperienceSchema = z.object({
  id: z.string(),
  type: ExperienceTypeSchema,
  intent: z.string(),
  solution: z.union([z.string(), z.record(z.string(), z.unknown())]),
  successScore: z.number(),
  tags: z.array(z.string()),
  sourceConversationId: z.string().optional(),
  /** The task that it was recorded of, when that was done. */
  sourceTaskId: z.string().optional(),
  useCount: z.number(),
  lastUsedAt: z.string().optional(),
  createdAt: z.string(),
  createdBy: z.string(),
})
export type Experience = z.output<typeof ExperienceSchema>

/** `score` is from 0 to 1: how close it is by its words, weighed by success, use and age. */
export const FoundExperienceSchema = ExperienceSchema.extend({ score: z.number() })
