import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { pageAnswer, pageQuery, queryInt } from '../core/page.ts'
import { freeText, nameText, shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import {
  ExcludedFileSchema,
  ExperienceSchema,
  ExperienceTypeSchema,
  FoundChunkSchema,
  FoundExperienceSchema,
  MemoryChunkSchema,
  MemoryFileSchema,
  MemorySessionSchema,
  MemoryVerdictSchema,
  SearchMethodSchema,
  SessionStatusSchema,
  SyncResultSchema,
} from './schema.ts'

const path = z.object({
  path: z
    .string()
    .min(1)
    .max(4_000)
    .meta({ description: 'Percent-encoded, slashes too', examples: ['guides/release.md'] }),
})
const taskId = nameText(200).meta({
  description: 'The task that it was given to',
  examples: ['task_01KF0Q8Y3V5W7X9Z'],
})
const chunkParams = idParams('chunk')
const query = freeText(2_000).meta({ examples: ['how we release'] })
const LastSync = z.string().nullable()

const contentRoutes = defineRoutes({
  searchMemory: {
    method: 'POST',
    path: '/api/memory/search',
    summary: 'Find the parts of memory files that a text is about, the best first',
    about: 'By words, and by embeddings where a model of them is configured.',
    access: 'session',
    body: z.object({
      query,
      maxResults: z.int().min(1).max(100).default(6),
      minScore: z.number().min(0).max(1).optional(),
    }),
    response: z.object({
      query: z.string(),
      method: SearchMethodSchema,
      chunks: z.array(FoundChunkSchema),
      count: z.number(),
    }),
  },
  syncMemory: {
    method: 'POST',
    path: '/api/memory/sync',
    summary: 'Sync memory with its files',
    about: 'Answers when every file is in, embeddings too.',
    access: 'session',
    response: SyncResultSchema,
  },
  memoryStats: {
    method: 'GET',
    path: '/api/memory/stats',
    summary: 'Count files and chunks, and read when memory was last synced',
    access: 'session',
    response: z.object({
      files: z.number(),
      chunks: z.number(),
      lastSync: LastSync,
      method: SearchMethodSchema,
      embeddingModel: z.string().optional(),
      withoutVector: z.number().optional().describe('Chunks that have no vector of the embedding model yet'),
      refusedChunks: z
        .number()
        .optional()
        .describe('Chunks that the embedding model refused: only their words find them'),
    }),
  },
  listMemoryFiles: {
    method: 'GET',
    path: '/api/memory/files',
    summary: 'List the files in memory, by path',
    about: 'Markdown files of MEMORY_DIR.',
    access: 'session',
    query: z.object(pageQuery),
    response: z.object({ files: z.array(MemoryFileSchema), ...pageAnswer }),
  },
  listExcludedFiles: {
    method: 'GET',
    path: '/api/memory/excluded',
    summary: 'List the files that are not in memory, and why: skipped by the last sync, or deleted by hand',
    about:
      'A file that the last sync skipped comes back once it is corrected; one deleted by hand, when it changes.',
    access: 'session',
    query: z.object(pageQuery),
    response: z.object({ files: z.array(ExcludedFileSchema), ...pageAnswer }),
  },
  listMemoryChunks: {
    method: 'GET',
    path: '/api/memory/files/{path}/chunks',
    summary: 'List the chunks of a file, in order; its path is percent-encoded, slashes too',
    access: 'session',
    wildcard: true,
    params: path,
    response: z.object({ path: z.string(), chunks: z.array(MemoryChunkSchema) }),
  },
  removeMemoryChunk: {
    method: 'DELETE',
    path: '/api/memory/chunks/{id}',
    summary: 'Forget a chunk, until its file changes',
    about: 'For what an agent should not read again. The file stays as it is.',
    access: 'session',
    params: chunkParams,
    response: z.object({ message: z.string() }),
  },
  rateMemoryChunk: {
    method: 'POST',
    path: '/api/memory/chunks/{id}/rate',
    summary: 'Say whether a chunk was useful; it is found a little sooner or later then',
    about:
      'A verdict counts until the text of the chunk changes. For a task it counts once, the last verdict.',
    access: 'session',
    params: chunkParams,
    body: z.object({ useful: z.boolean(), taskId: taskId.optional() }),
    response: z.object({ message: z.string() }),
  },
  listMemoryVerdicts: {
    method: 'GET',
    path: '/api/memory/verdicts',
    summary: 'Read the verdicts on the chunks and experiences that a task was given',
    about: 'The last verdict on each; what has none is left out.',
    access: 'session',
    query: z.object({ taskId }),
    response: z.object({ verdicts: z.array(MemoryVerdictSchema) }),
  },
  removeMemoryFile: {
    method: 'DELETE',
    path: '/api/memory/files/{path}',
    summary: 'Forget all chunks of a file, until it changes; its path is percent-encoded, slashes too',
    about: 'The file itself stays as it is.',
    access: 'session',
    wildcard: true,
    params: path,
    response: z.object({ message: z.string() }),
  },
  clearMemory: {
    method: 'DELETE',
    path: '/api/memory/all',
    summary: 'Forget all files and chunks, each until its file changes',
    about: 'The files themselves stay as they are; a sync does not bring them back.',
    access: 'admin',
    response: z.object({ message: z.string() }),
  },
  memoryWatcher: {
    method: 'GET',
    path: '/api/memory/watcher/status',
    summary: 'Read whether memory follows its files automatically',
    about: 'If it does not, a sync reads changed files.',
    access: 'session',
    response: z.object({
      enabled: z.boolean().describe('Changed files are read without a requested sync'),
      watching: z
        .boolean()
        .describe('Changes are noticed at once; otherwise files are checked once a minute'),
      lastSync: LastSync,
    }),
  },
})

const sessionParams = idParams('mem')
const conversationId = nameText(200).optional()

const sessionRoutes = defineRoutes({
  createMemorySession: {
    method: 'POST',
    path: '/api/memory/sessions',
    summary: 'Create a memory session, by a name or for a conversation',
    about: 'One of the two is needed; the conversation is one of yours.',
    access: 'session',
    body: z.object({
      name: shownText(200)
        .optional()
        .meta({ examples: ['Release work'] }),
      conversationId,
    }),
    status: 201,
    response: z.object({ session: MemorySessionSchema }),
  },
  listMemorySessions: {
    method: 'GET',
    path: '/api/memory/sessions',
    summary: 'List memory sessions, newest first',
    about: 'Without `status`, those that are active. Those of conversations of other users are left out.',
    access: 'session',
    query: z.object({ ...pageQuery, status: SessionStatusSchema.default('active'), conversationId }),
    response: z.object({ sessions: z.array(MemorySessionSchema), ...pageAnswer }),
  },
  getMemorySession: {
    method: 'GET',
    path: '/api/memory/sessions/{id}',
    summary: 'Read a memory session',
    access: 'session',
    params: sessionParams,
    response: z.object({ session: MemorySessionSchema }),
  },
  archiveMemorySession: {
    method: 'POST',
    path: '/api/memory/sessions/{id}/archive',
    summary: 'Archive a memory session',
    about: 'It can still be read.',
    access: 'session',
    params: sessionParams,
    response: z.object({ message: z.string(), session: MemorySessionSchema }),
  },
  warmMemory: {
    method: 'POST',
    path: '/api/memory/warm',
    summary: 'Load memory before work begins, and read what it has on the matter',
    about: 'Without a query only the index is loaded.',
    access: 'session',
    body: z.object({ query: query.optional(), conversationId }),
    response: z.object({ message: z.string(), chunks: z.array(MemoryChunkSchema) }),
  },
})

const MOST_SOLUTION = 50_000
const fits = (value: unknown) => (JSON.stringify(value) ?? '').length <= MOST_SOLUTION

export const CreateExperienceSchema = z.object({
  type: ExperienceTypeSchema,
  intent: nameText(2_000).meta({ description: 'What was to be done', examples: ['Fix a failing test'] }),
  solution: z
    .union([
      freeText(MOST_SOLUTION),
      z.record(z.string(), z.unknown()).refine(fits, `must have at most ${MOST_SOLUTION} characters as JSON`),
    ])
    .meta({ description: 'How it was done', examples: ['Read the clock in UTC'] }),
  successScore: z.number().min(0).max(1).default(0.5),
  tags: z.array(nameText(100)).max(50).default([]),
  sourceConversationId: nameText(200).optional(),
})

const experienceParams = idParams('exp')
export const ListExperiencesQuery = z.object({ ...pageQuery, type: ExperienceTypeSchema.optional() })
export const SearchExperiencesQuery = z.object({
  q: freeText(2_000).meta({ examples: ['failing test'] }),
  type: ExperienceTypeSchema.optional(),
  limit: queryInt(1, 200).default(10),
})

const experienceRoutes = defineRoutes({
  createExperience: {
    method: 'POST',
    path: '/api/memory/experiences',
    summary: 'Record what was learned from a piece of work',
    about: 'Agents find it again when they do similar work.',
    access: 'session',
    body: CreateExperienceSchema,
    status: 201,
    response: z.object({ experience: ExperienceSchema }),
  },
  listExperiences: {
    method: 'GET',
    path: '/api/memory/experiences',
    summary: 'List experiences, newest first',
    access: 'session',
    query: ListExperiencesQuery,
    response: z.object({ experiences: z.array(ExperienceSchema), ...pageAnswer }),
  },
  searchExperiences: {
    method: 'GET',
    path: '/api/memory/experiences/search',
    summary: 'Find experiences that have to do with a text, the closest first',
    access: 'session',
    query: SearchExperiencesQuery,
    response: z.object({
      query: z.string(),
      experiences: z.array(FoundExperienceSchema),
      count: z.number(),
    }),
  },
  getExperience: {
    method: 'GET',
    path: '/api/memory/experiences/{id}',
    summary: 'Read an experience',
    access: 'session',
    params: experienceParams,
    response: z.object({ experience: ExperienceSchema }),
  },
  removeExperience: {
    method: 'DELETE',
    path: '/api/memory/experiences/{id}',
    summary: 'Forget an experience',
    access: 'session',
    params: experienceParams,
    response: z.object({ message: z.string() }),
  },
  useExperience: {
    method: 'POST',
    path: '/api/memory/experiences/{id}/use',
    summary: 'Record that an experience was used, and whether it was useful',
    about:
      'Adds one to its count, and changes its success where the body says whether it was useful. For a task it counts once, the last verdict.',
    access: 'session',
    params: experienceParams,
    body: z.object({
      useful: z
        .boolean()
        .optional()
        .meta({ examples: [true] }),
      taskId: taskId.optional(),
    }),
    response: z.object({ message: z.string(), experience: ExperienceSchema }),
  },
})

export const memoryRoutes = { ...contentRoutes, ...sessionRoutes, ...experienceRoutes } as const
