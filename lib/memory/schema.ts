import * as z from 'zod'
import type { Actor } from '../core/principal.ts'
import { TruncatedSchema } from '../core/truncated.ts'

/** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
export type CheckOwnConversation = (by: Actor, conversationId: string) => Promise<void>

/** The method of search: by words alone, or by meaning too. */
export const SearchMethodSchema = z.enum(['lexical', 'hybrid'])
export type SearchMethod = z.output<typeof SearchMethodSchema>

export const MemoryFileSchema = z.object({
  path: z.string().meta({ examples: ['guides/release.md'] }),
  hash: z.string().describe('SHA-256 of the file, in hexadecimal'),
  size: z.number().describe('File size in bytes'),
  chunks: z.number(),
  updatedAt: z.string().describe('When the content was last read'),
})

export const MemoryChunkSchema = z.object({
  id: z.string(),
  path: z.string().meta({ examples: ['guides/release.md'] }),
  startLine: z.number().describe('First line, from 1'),
  endLine: z.number().describe('Last line, inclusive'),
  heading: z
    .string()
    .optional()
    .meta({ examples: ['Release'] }),
  trail: z.array(z.string()).optional().describe('Parent headings, outermost first'),
  text: z.string().meta({ examples: ['A release is a tag.'] }),
})
export type MemoryChunk = z.output<typeof MemoryChunkSchema>

export const FoundChunkSchema = MemoryChunkSchema.extend({
  score: z.number().meta({ description: 'Relevance, 0 to 1', examples: [0.8] }),
  foundBy: z
    .array(z.enum(['words', 'meaning', 'expansion']))
    .describe('How the chunk was found: by words of the query, by meaning, or by words that a model added'),
  terms: z.array(z.string()).describe('Matched words, as index terms (stems)'),
})
export type FoundBy = FoundChunk['foundBy'][number]
export type FoundChunk = z.output<typeof FoundChunkSchema>

/**
 * Why a file is excluded. `bad_name` and `path_too_long` concern its name, `too_many` files beyond the 20,000th; an
 * `unreadable` file failed this time, a `removed` one was removed by a user.
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

/** The files of a sync, by what was done. */
export const SyncResultSchema = z.object({
  synced: z.number().describe('Files checked'),
  added: z.number(),
  updated: z.number(),
  removed: z.number(),
  skipped: z.array(ExcludedFileSchema).optional().describe('Skipped files, at most 100'),
  embedding: z
    .object({ missing: z.number().describe('Chunks without a vector'), reason: z.string() })
    .optional()
    .describe('Set if the model returned no vectors; these chunks are found by words only'),
})
export type SyncResult = z.output<typeof SyncResultSchema>

export const SessionStatusSchema = z.enum(['active', 'archived'])

/** A period of work with its own memory. */
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

/** The latest verdict on the page of a task about a chunk or an experience, by its id. */
export const MemoryVerdictSchema = z.object({ id: z.string(), useful: z.boolean(), at: z.string() })
export type MemoryVerdict = z.output<typeof MemoryVerdictSchema>

export const ExperienceTypeSchema = z.enum([
  'tool_chain',
  'user_preference',
  'task_solution',
  'error_recovery',
])

/** A lesson from a piece of work, to be found for similar work. */
export const ExperienceSchema = z.object({
  id: z.string(),
  type: ExperienceTypeSchema,
  intent: z.string().describe('Goal of the work'),
  solution: z.union([z.string(), z.record(z.string(), z.unknown())]),
  successScore: z.number().describe('Success score, 0 to 1'),
  tags: z.array(z.string()),
  sourceConversationId: z.string().optional(),
  sourceTaskId: z.string().optional().describe('Finished task that the experience was recorded from'),
  useCount: z.number(),
  lastUsedAt: z.string().optional(),
  createdAt: z.string(),
  createdBy: z.string(),
  truncated: TruncatedSchema,
})
export type Experience = z.output<typeof ExperienceSchema>

export const FoundExperienceSchema = ExperienceSchema.extend({
  score: z.number().describe('Relevance, 0 to 1: match by words, weighted by success, use and age'),
})
