import * as z from 'zod'
import { pageAnswer, pageQuery } from '../core/page.ts'
import { freeText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { experienceRoutes } from './experience-contract.ts'
import {
  FoundChunkSchema,
  MemoryChunkSchema,
  MemoryFileSchema,
  SearchMethodSchema,
  SyncResultSchema,
} from './schema.ts'
import { memorySessionRoutes } from './session-contract.ts'

const path = z.object({ path: z.string().min(1).max(4_000) })
const LastSync = z.string().nullable()

const contentRoutes = defineRoutes({
  searchMemory: {
    method: 'POST',
    path: '/api/memory/search',
    summary: 'Find the parts of memory files that a text is about, the best first',
    access: 'session',
    body: z.object({
      query: freeText(2_000),
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
    summary: 'Bring memory in step with its files',
    access: 'session',
    response: SyncResultSchema,
  },
  memoryStats: {
    method: 'GET',
    path: '/api/memory/stats',
    summary: 'Count files and chunks, and read when memory was last in step',
    access: 'session',
    response: z.object({
      files: z.number(),
      chunks: z.number(),
      lastSync: LastSync,
      method: SearchMethodSchema,
      embeddingModel: z.string().optional(),
    }),
  },
  listMemoryFiles: {
    method: 'GET',
    path: '/api/memory/files',
    summary: 'List the files that memory has, by path',
    access: 'session',
    query: z.object(pageQuery),
    response: z.object({ files: z.array(MemoryFileSchema), ...pageAnswer }),
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
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: z.object({ message: z.string() }),
  },
  removeMemoryFile: {
    method: 'DELETE',
    path: '/api/memory/files/{path}',
    summary: 'Forget all chunks of a file, until it changes; its path is percent-encoded, slashes too',
    access: 'session',
    wildcard: true,
    params: path,
    response: z.object({ message: z.string() }),
  },
  clearMemory: {
    method: 'DELETE',
    path: '/api/memory/all',
    summary: 'Forget all files and chunks, each until its file changes',
    access: 'admin',
    response: z.object({ message: z.string() }),
  },
  memoryWatcher: {
    method: 'GET',
    path: '/api/memory/watcher/status',
    summary: 'Read whether memory follows its files by itself',
    access: 'session',
    response: z.object({
      /** Whether changes of files are taken in without a sync being asked for. */
      enabled: z.boolean(),
      /** Whether changes are heard of as they happen; else files are looked at once a minute. */
      watching: z.boolean(),
      lastSync: LastSync,
    }),
  },
})

export const memoryRoutes = { ...contentRoutes, ...memorySessionRoutes, ...experienceRoutes } as const
