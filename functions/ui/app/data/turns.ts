import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { eventsIn, type StreamEvent } from '../../../../lib/api/server-sent-events.ts'
import type { SecurityMode } from '../../../../lib/core/security-mode.ts'
import { conversationKey } from './chat.ts'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'
import { adoptStream, noteSession } from './sessions.ts'
import { createSignal } from './signal.ts'

type AgenticBody = Parameters<typeof client.sendAgentic>[0]['body']
/** What a turn is asked with. Mode `full` is an agentic turn, whose steps are streamed; the others are answered as a whole. */
export type TurnRequest = AgenticBody & { securityMode: SecurityMode }

type Asked = { content: string; mode: SecurityMode }
/** A turn that was sent from here and is not known to the service yet, was refused by it, or was stopped from here. */
export type Turn =
  | (Asked & { state: 'sending' })
  | (Asked & { state: 'refused'; error: unknown })
  | { state: 'stopped' }

const turns = createSignal<Readonly<Record<string, Turn>>>({})

export const useTurn = (conversationId: string): Turn | undefined => turns.use()[conversationId]

const setTurn = (conversationId: string, turn: Turn | undefined) => {
  const { [conversationId]: _, ...others } = turns.get()
  turns.set(turn ? { ...others, [conversationId]: turn } : others)
}

/** Forgets a turn that was refused or stopped. */
export const dropTurn = (conversationId: string) => setTurn(conversationId, undefined)

const refresh = (conversationId: string) =>
  Promise.all(
    [conversationKey(conversationId), ['conversations', 'list'], ['approvals']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

/** Sends a message. It goes on when the view is left; what became of it is in `useTurn`. */
export const sendTurn = async (conversationId: string, request: TurnRequest): Promise<void> => {
  const { content, securityMode: mode } = request
  setTurn(conversationId, { content, mode, state: 'sending' })
  try {
    await (mode === 'full' ? sendAgentic : sendWithTools)(conversationId, request)
    dropTurn(conversationId)
  } catch (error) {
    setTurn(
      conversationId,
      isCancelled(error) ? { state: 'stopped' } : { content, mode, state: 'refused', error },
    )
    // It may have been taken all the same, where only the answer was lost.
    void queryClient.invalidateQueries()
  }
}

/** The message of a turn that was cancelled is stored: there is nothing to send again. */
const isCancelled = (error: unknown) => error instanceof ApiError && error.code === 'cancelled'

/** Stops the turn of a conversation, of whichever kind, one that waits for approval too. */
export const useStopTurn = (conversationId: string) =>
  useMutation({
    mutationFn: () => client.cancelTurn({ params: { id: conversationId } }),
    onSuccess: async () => {
      await refresh(conversationId)
      // The request of a turn that was sent from here is answered when it has ended.
      if (turns.get()[conversationId]?.state !== 'sending') setTurn(conversationId, { state: 'stopped' })
    },
  })

/** Resolves once the answer is shown. */
const sendWithTools = async (id: string, request: TurnRequest) => {
  const { content, model, provider, securityMode } = request
  const target = {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  }
  await client.sendMessageWithTools({ params: { id }, body: { content, ...target, securityMode } })
  await refresh(id)
}

/** Resolves once the session of the turn has begun; who follows sessions reads on. */
const sendAgentic = async (conversationId: string, request: TurnRequest) => {
  const { securityMode: _, ...body } = request
  const leaving = new AbortController()
  const given = { params: { id: conversationId }, body }
  const { body: stream } = await client.sendAgentic.raw(given, { signal: leaving.signal })
  if (stream === null) throw new TypeError('The stream has no body')
  const batches = eventsIn(stream)
  const seen: StreamEvent[] = []
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    seen.push(...next.value)
    const start = seen.map(startIn).find((facts) => facts !== undefined)
    if (start === undefined) continue
    const { sessionId: id, provider, model } = start
    adoptStream(id, { batches: continued(seen, batches), leave: () => leaving.abort() })
    const session = { id, conversationId, userId: '', provider, model, status: 'running' } as const
    noteSession(conversationId, { ...session, createdAt: new Date().toISOString() })
    return void refresh(conversationId)
  }
  throw new TypeError('The stream ended before the turn began')
}

type Start = { sessionId: string; provider: string; model: string }

const startIn = ({ data }: StreamEvent): Start | undefined => {
  const { type, data: facts } = JSON.parse(data)
  return type === 'session:start' ? facts : undefined
}

async function* continued(seen: readonly StreamEvent[], rest: AsyncIterable<readonly StreamEvent[]>) {
  yield seen
  yield* rest
}
