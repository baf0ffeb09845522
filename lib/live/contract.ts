import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'

export const liveRoutes = defineRoutes({
  followEvents: {
    method: 'GET',
    path: '/api/events/stream',
    summary: 'Stream live events',
    about:
      'Streams changes of tasks, task progress and reports, the queue, dead letters, bulk jobs, approvals, notifications and runners.',
    access: 'session',
    limited: true,
    headers: z.object({ 'last-event-id': z.string().max(100).optional() }),
    query: z.object({ after: z.string().max(100).optional() }),
    response: z
      .string()
      .describe(
        'Server-sent events. `data` is `{type, data: {id, …}, timestamp}`; send the last `id` as `Last-Event-ID` to resume. `ready` starts a stream. `reset` means that events were missed: load everything again. `heartbeat`, without an id, follows 15 seconds of silence. `replaced`, without an id, ends a stream that a newer one replaced. The stream ends after 10 minutes, in mode `pro` after 2.',
      ),
    produces: 'text/event-stream',
  },
})
