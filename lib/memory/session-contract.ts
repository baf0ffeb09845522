import * as z from 'zod'
import { pageAnswer, pageQuery } from '../core/page.ts'
import { freeText, nameText, shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { MemoryChunkSchema, MemorySessionSchema, SessionStatusSchema } from './schema.ts'

const params = z.object({ id: z.string().min(1).max(200) })
const conversationId = nameText(200).optional()

export const memorySessionRoutes = defineRoutes({
  createMemorySession: {
    method: 'POST',
    path: '/api/memory/sessions',
    summary: 'Begin a memory session, by a name or for a conversation',
    access: 'session',
    body: z.object({ name: shownText(200).optional(), conversationId }),
    status: 201,
    response: z.object({ session: MemorySessionSchema }),
  },
  listMemorySessions: {
    method: 'GET',
    path: '/api/memory/sessions',
    summary: 'List memory sessions, newest first',
    access: 'session',
    query: z.object({ ...pageQuery, status: SessionStatusSchema.default('active'), conversationId }),
    response: z.object({ sessions: z.array(MemorySessionSchema), ...pageAnswer }),
  },
  getMemorySession: {
    method: 'GET',
    path: '/api/memory/sessions/{id}',
    summary: 'Read a memory session',
    access: 'session',
    params,
    response: z.object({ session: MemorySessionSchema }),
  },
  archiveMemorySession: {
    method: 'POST',
    path: '/api/memory/sessions/{id}/archive',
    summary: 'Put a memory session aside',
    access: 'session',
    params,
    response: z.object({ message: z.string(), session: MemorySessionSchema }),
  },
  warmMemory: {
    method: 'POST',
    path: '/api/memory/warm',
    summary: 'Load memory before work begins, and read what it has on the matter',
    access: 'session',
    body: z.object({ query: freeText(2_000).optional(), conversationId }),
    response: z.object({ message: z.string(), chunks: z.array(MemoryChunkSchema) }),
  },
})
