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

/** Without a signal of its connection a stream ends with its session. */
const never = new AbortController().signal

export const agenticHandlers = ({
  agentSessions,
  agentic,
  clock,
}: Needs): Handlers<typeof agenticRoutes> => ({
  sendAgentic: async ({ params, body }, { principal, gone }) =>
    eventStream(clock, framed(await agentic.start(principal, params.id, body, gone() ?? never))),
  listAgentSessions: ({ query }, { principal }) => agentSessions.list(principal, query),
  getAgentSession: async ({ params }, { principal }) => ({
    session: await agentSessions.get(principal, params.id),
  }),
  followAgentSession: async ({ params, query, headers }, { principal, gone }) => {
    const after = headers['last-event-id'] ?? query.after ?? ''
    return eventStream(
      clock,
      framed(await agentSessions.follow(principal, params.id, after, gone() ?? never)),
    )
  },
  cancelAgentSession: async ({ params }, { principal }) => ({
    message: 'Session is being cancelled',
    session: await agentSessions.cancel(principal, params.id),
  }),
})

async function* framed(batches: AsyncIterable<readonly SessionEvent[]>) {
  for await (const batch of batches)
    yield batch.map(({ id, type, data, timestamp }) => eventText({ type, data, timestamp }, { id })).join('')
}
