import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { pageAnswer, pageQuery } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { AgenticRequestSchema, AgentSessionSchema } from './schema.ts'

const params = idParams('sess')
/** Run and event number. Any other text is refused: compared as an id, it would hide earlier events. */
const eventId = z.string().regex(/^(?:\d{4,12}-\d{7,12})?$/, 'must be the id of an event of this stream')
const headers = z.object({ 'last-event-id': eventId.optional() })
const events = z
  .string()
  .describe(
    'Server-sent events. `data` is `{type, data, timestamp}`; send the last `id` as `Last-Event-ID` to resume',
  )

export const agenticRoutes = defineRoutes({
  sendAgentic: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/messages/agentic',
    summary: 'Send an agentic message',
    about:
      'The model works on the message with all tools. Streams every step, thought and tool call; after a lost connection, follow the session instead.',
    access: 'session',
    limited: true,
    params: idParams('conv'),
    body: AgenticRequestSchema,
    response: events,
    produces: 'text/event-stream',
  },
  listAgentSessions: {
    method: 'GET',
    path: '/api/chat/sessions',
    summary: 'List agent sessions',
    about: 'Returns agentic turns of your conversations and runs of tasks, newest first.',
    access: 'session',
    query: z.object({
      ...pageQuery,
      taskId: z.string().min(1).max(200).optional(),
      conversationId: z.string().min(1).max(200).optional(),
    }),
    response: z.object({ sessions: z.array(AgentSessionSchema), ...pageAnswer }),
  },
  getAgentSession: {
    method: 'GET',
    path: '/api/chat/sessions/{id}',
    summary: 'Get an agent session',
    about: 'A task has one session for all its attempts.',
    access: 'session',
    params,
    response: z.object({ session: AgentSessionSchema }),
  },
  followAgentSession: {
    method: 'GET',
    path: '/api/chat/sessions/{id}/events',
    summary: 'Stream the events of an agent session',
    about:
      'Streams past events, then new ones, from the first event or after `Last-Event-ID`, until the session ends.',
    access: 'session',
    limited: true,
    params,
    headers,
    query: z.object({ after: eventId.optional() }),
    response: events,
    produces: 'text/event-stream',
  },
  cancelAgentSession: {
    method: 'POST',
    path: '/api/chat/sessions/{id}/cancel',
    summary: 'Cancel an agent session',
    about: 'Cancelling the session of a task cancels the task.',
    access: 'session',
    params,
    response: z.object({ message: z.string(), session: AgentSessionSchema }),
  },
})
