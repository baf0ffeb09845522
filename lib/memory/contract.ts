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
    .meta({
      description: 'Path of the file, percent-encoded including slashes',
      examples: ['guides/release.md'],
    }),
})
const taskId = nameText(200).meta({
  description: 'Task that received the chunk or experience',
  examples: ['task_01KF0Q8Y3V5W7X9Z'],
})
const chunkParams = idParams('chunk')
const query = freeText(2_000).meta({ examples: ['how we release'] })
const LastSync = z.string().nullable()

const contentRoutes = defineRoutes({
  searchMemory: {
    method: 'POST',
    path: '/api/memory/search',
    summary: 'Search memory',
    about:
      'Returns matching chunks of memory files, best first. Searches by words, and by embeddings if an embedding model is configured.',
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
    summary: 'Sync memory',
    about: 'Reads changed memory files. Responds when all files and embeddings are up to date.',
    access: 'session',
    response: SyncResultSchema,
  },
  memoryStats: {
    method: 'GET',
    path: '/api/memory/stats',
    summary: 'Get memory statistics',
    about: 'Returns the number of files and chunks, and the time of the last sync.',
    access: 'session',
    response: z.object({
      files: z.number(),
      chunks: z.number(),
      lastSync: LastSync,
      method: SearchMethodSchema,
      embeddingModel: z.string().optional(),
      withoutVector: z.number().optional().describe('Chunks that have no embedding vector yet'),
      refusedChunks: z
        .number()
        .optional()
        .describe('Chunks that the embedding model rejected; they are found by words only'),
    }),
  },
  listMemoryFiles: {
    method: 'GET',
    path: '/api/memory/files',
    summary: 'List memory files',
    about: 'Returns the Markdown files in `MEMORY_DIR` by path.',
    access: 'session',
    query: z.object(pageQuery),
    response: z.object({ files: z.array(MemoryFileSchema), ...pageAnswer }),
  },
  listExcludedFiles: {
    method: 'GET',
    path: '/api/memory/excluded',
    summary: 'List excluded memory files',
    about:
      'Returns files that the last sync skipped or a user deleted from memory, with the reason. A skipped file returns once it is corrected, a deleted one when it changes.',
    access: 'session',
    query: z.object(pageQuery),
    response: z.object({ files: z.array(ExcludedFileSchema), ...pageAnswer }),
  },
  listMemoryChunks: {
    method: 'GET',
    path: '/api/memory/files/{path}/chunks',
    summary: 'List the chunks of a memory file',
    about: 'Returns the chunks in the order of the file.',
    access: 'session',
    wildcard: true,
    params: path,
    response: z.object({ path: z.string(), chunks: z.array(MemoryChunkSchema) }),
  },
  removeMemoryChunk: {
    method: 'DELETE',
    path: '/api/memory/chunks/{id}',
    summary: 'Delete a memory chunk',
    about: 'Agents no longer find the chunk until its file changes. The file itself stays as it is.',
    access: 'session',
    params: chunkParams,
    response: z.object({ message: z.string() }),
  },
  rateMemoryChunk: {
    method: 'POST',
    path: '/api/memory/chunks/{id}/rate',
    summary: 'Rate a memory chunk',
    about:
      'Useful chunks rank slightly higher in searches, others lower. A rating counts until the text of the chunk changes; per task, only the last rating counts.',
    access: 'session',
    params: chunkParams,
    body: z.object({ useful: z.boolean(), taskId: taskId.optional() }),
    response: z.object({ message: z.string() }),
  },
  listMemoryVerdicts: {
    method: 'GET',
    path: '/api/memory/verdicts',
    summary: 'List memory ratings of a task',
    about:
      'Returns the last rating of each chunk and experience that the task received; unrated ones are omitted.',
    access: 'session',
    query: z.object({ taskId }),
    response: z.object({ verdicts: z.array(MemoryVerdictSchema) }),
  },
  removeMemoryFile: {
    method: 'DELETE',
    path: '/api/memory/files/{path}',
    summary: 'Delete a file from memory',
    about: 'Deletes all chunks of the file until it changes. The file itself stays as it is.',
    access: 'session',
    wildcard: true,
    params: path,
    response: z.object({ message: z.string() }),
  },
  clearMemory: {
    method: 'DELETE',
    path: '/api/memory/all',
    summary: 'Clear memory',
    about:
      'Deletes all files and chunks from memory, each until its file changes; a sync does not restore them. The files themselves stay as they are.',
    access: 'admin',
    response: z.object({ message: z.string() }),
  },
  memoryWatcher: {
    method: 'GET',
    path: '/api/memory/watcher/status',
    summary: 'Get the memory watcher status',
    about: 'Shows whether changed files are read automatically. If not, use a sync.',
    access: 'session',
    response: z.object({
      enabled: z.boolean().describe('Whether changed files are read automatically'),
      watching: z
        .boolean()
        .describe('Whether changes are detected immediately; otherwise files are checked once a minute'),
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
    summary: 'Create a memory session',
    about: 'Requires `name` or `conversationId`; the conversation must be yours.',
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
    summary: 'List memory sessions',
    about:
      'Returns active sessions unless `status` is set, newest first. Sessions of conversations of other users are omitted.',
    access: 'session',
    query: z.object({ ...pageQuery, status: SessionStatusSchema.default('active'), conversationId }),
    response: z.object({ sessions: z.array(MemorySessionSchema), ...pageAnswer }),
  },
  getMemorySession: {
    method: 'GET',
    path: '/api/memory/sessions/{id}',
    summary: 'Get a memory session',
    access: 'session',
    params: sessionParams,
    response: z.object({ session: MemorySessionSchema }),
  },
  archiveMemorySession: {
    method: 'POST',
    path: '/api/memory/sessions/{id}/archive',
    summary: 'Archive a memory session',
    about: 'An archived session can still be read.',
    access: 'session',
    params: sessionParams,
    response: z.object({ message: z.string(), session: MemorySessionSchema }),
  },
  warmMemory: {
    method: 'POST',
    path: '/api/memory/warm',
    summary: 'Warm up memory',
    about:
      'Loads memory before work starts and returns chunks that match `query`. Without a query, only loads the index.',
    access: 'session',
    body: z.object({ query: query.optional(), conversationId }),
    response: z.object({ message: z.string(), chunks: z.array(MemoryChunkSchema) }),
  },
})

const MOST_SOLUTION = 50_000
const fits = (value: unknown) => (JSON.stringify(value) ?? '').length <= MOST_SOLUTION

export const CreateExperienceSchema = z.object({
  type: ExperienceTypeSchema,
  intent: nameText(2_000).meta({ description: 'Goal of the work', examples: ['Fix a failing test'] }),
  solution: z
    .union([
      freeText(MOST_SOLUTION),
      z.record(z.string(), z.unknown()).refine(fits, `must have at most ${MOST_SOLUTION} characters as JSON`),
    ])
    .meta({ description: 'How the goal was reached', examples: ['Read the clock in UTC'] }),
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
    summary: 'Create an experience',
    about: 'Records what was learned. Agents find it in similar work.',
    access: 'session',
    body: CreateExperienceSchema,
    status: 201,
    response: z.object({ experience: ExperienceSchema }),
  },
  listExperiences: {
    method: 'GET',
    path: '/api/memory/experiences',
    summary: 'List experiences',
    about: 'Newest first.',
    access: 'session',
    query: ListExperiencesQuery,
    response: z.object({ experiences: z.array(ExperienceSchema), ...pageAnswer }),
  },
  searchExperiences: {
    method: 'GET',
    path: '/api/memory/experiences/search',
    summary: 'Search experiences',
    about: 'Returns experiences related to a text, closest first.',
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
    summary: 'Get an experience',
    access: 'session',
    params: experienceParams,
    response: z.object({ experience: ExperienceSchema }),
  },
  removeExperience: {
    method: 'DELETE',
    path: '/api/memory/experiences/{id}',
    summary: 'Delete an experience',
    access: 'session',
    params: experienceParams,
    response: z.object({ message: z.string() }),
  },
  useExperience: {
    method: 'POST',
    path: '/api/memory/experiences/{id}/use',
    summary: 'Record the use of an experience',
    about:
      'Increments the use count. With `useful`, also adjusts the success score; per task, only the last rating counts.',
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
