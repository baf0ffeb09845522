import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'

export const liveRoutes = defineRoutes({
  followEvents: {
    method: 'GET',
    path: '/api/events/stream',
    summary:
      'Stream what changes: tasks, their progress and reports, the queue, dead letters, bulk jobs, approvals, notifications, runners',
    access: 'session',
    limited: true,
    headers: z.object({ 'last-event-id': z.string().max(100).optional() }),
    query: z.object({ after: z.string().max(100).optional() }),
    response: z
      .string()
      .describe(
        'Server-sent events: `data` is `{type, data: {id, …}, timestamp}`, `id` is for `Last-Event-ID`. `ready` begins a stream, `reset` says that events were missed: read anew. `heartbeat`, without an id, comes after 15 seconds of silence. `replaced`, without an id, is the last event of a stream whose place a newer one took. The stream ends after 10 minutes, in mode `pro` after 2.',
      ),
    produces: 'text/event-stream',
  },
})
