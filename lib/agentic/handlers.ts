import { eventStream, eventText } from '../http/event-stream.ts'
import type { Handlers } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { agenticRoutes } from './contract.ts'
import type { SessionEvent } from './schema.ts'
import type { AgentSessions } from './sessions.ts'
import type { createAgenticTurns } from './turn.ts'

type Needs = {
  agentSessions: AgentSessions
  agentic: Pick<ReturnType<typeof createAgenticTurns>, 'start'>
  clock: Clock
}

/** Without the connection's signal a stream ends with its session. */
const never = new AbortController().signal

export const agenticHandlers = ({
  agentSessions,
  agentic,
  clock,
}: Needs): Handlers<typeof agenticRoutes> => ({
  sendAgentic: async ({ params, body }, { principal, gone }) =>
    eventStream(clock, await agentic.start(principal, params.id, body, gone() ?? never), textOf),
  listAgentSessions: ({ query }, { principal }) => agentSessions.list(principal, query),
  getAgentSession: async ({ params }, { principal }) => ({
    session: await agentSessions.get(principal, params.id),
  }),
  followAgentSession: async ({ params, query, headers }, { principal, gone }) => {
    const after = headers['last-event-id'] ?? query.after ?? ''
    const events = await agentSessions.follow(principal, params.id, after, gone() ?? never)
    return eventStream(clock, events, textOf)
  },
  cancelAgentSession: async ({ params }, { principal }) => ({
    message: 'Session is being cancelled',
    session: await agentSessions.cancel(principal, params.id),
  }),
})

const textOf = (batch: readonly SessionEvent[]): string =>
  batch.map(({ id, type, data, timestamp }) => eventText({ type, data, timestamp }, { id })).join('')
