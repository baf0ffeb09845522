import { Problem } from '../core/errors.ts'
import { endsSession } from '../core/session-end.ts'
import { createOpenStream, eventText, type OpenStreams } from '../http/event-stream.ts'
import type { Call, Handlers } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { agenticRoutes } from './contract.ts'
import type { SessionEvent } from './schema.ts'
import type { AgentSessions } from './sessions.ts'
import type { createAgenticTurns } from './turn.ts'

type Needs = {
  agentSessions: AgentSessions
  agentic: Pick<ReturnType<typeof createAgenticTurns>, 'start'>
  clock: Clock
  openStreams: OpenStreams
}
type Batches = AsyncIterable<readonly SessionEvent[]>

export const agenticHandlers = (needs: Needs): Handlers<typeof agenticRoutes> => {
  const { agentSessions, agentic, clock } = needs
  const openStream = createOpenStream(needs)
  const streamed = (call: Call, isResumable: boolean, begin: (reader: AbortSignal) => Promise<Batches>) =>
    openStream(call, async (reader) => whileAdmitted(await begin(reader), reader, clock), { isResumable })
  return {
    sendAgentic: ({ params, body }, call) =>
      streamed(call, false, (reader) => agentic.start(call.principal, params.id, body, reader)),
    listAgentSessions: ({ query }, { principal }) => agentSessions.list(principal, query),
    getAgentSession: async ({ params }, { principal }) => ({
      session: await agentSessions.get(principal, params.id),
    }),
    followAgentSession: ({ params, query, headers }, call) => {
      const after = headers['last-event-id'] ?? query.after ?? ''
      return streamed(call, true, (reader) => agentSessions.follow(call.principal, params.id, after, reader))
    },
    cancelAgentSession: async ({ params }, { principal }) => ({
      message: 'Cancelling the session',
      session: await agentSessions.cancel(principal, params.id),
    }),
  }
}

const batchText = (batch: readonly SessionEvent[]): string =>
  batch.map(({ id, type, data, timestamp }) => eventText({ type, data, timestamp }, { id })).join('')

/** The texts of events. A reader without its rights gets an error without id: it is not of the session. */
async function* whileAdmitted(
  batches: Batches,
  reader: AbortSignal,
  clock: Clock,
): AsyncGenerator<string, void> {
  let last: SessionEvent | undefined
  for await (const batch of batches) {
    last = batch.at(-1)
    yield batchText(batch)
  }
  const { reason } = reader
  if (!(reason instanceof Problem) || (last?.type === 'error' && endsSession(last))) return
  const data = { code: reason.code.toUpperCase(), message: reason.message }
  yield eventText({ type: 'error', data, timestamp: clock.now() })
}
