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
/** Mode `full` is an agentic turn, which is streamed; the other modes answer at once, in the default mode where none is named. */
export type TurnRequest = AgenticBody & { securityMode?: SecurityMode }

type Asked = { content: string; mode: SecurityMode | undefined }
/** A turn of this page that the service has not stored, has refused, or that was stopped here. */
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

export const dropTurn = (conversationId: string) => setTurn(conversationId, undefined)

const refresh = (conversationId: string) =>
  Promise.all(
    [conversationKey(conversationId), ['conversations', 'list'], ['approvals']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

/** Continues when the view is left; its state is in `useTurn`. */
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
    // Only the response may be lost.
    void queryClient.invalidateQueries()
  }
}

/** The message of a cancelled turn is stored, so it is not sent again. */
const isCancelled = (error: unknown) => error instanceof ApiError && error.code === 'cancelled'

/** Also stops turns that wait for approval. */
export const useStopTurn = (conversationId: string) =>
  useMutation({
    mutationFn: () => client.cancelTurn({ params: { id: conversationId } }),
    onSuccess: async () => {
      await refresh(conversationId)
      // A turn of this page settles with its own request.
      if (turns.get()[conversationId]?.state !== 'sending') setTurn(conversationId, { state: 'stopped' })
    },
  })

/** Resolves when the answer is loaded. */
const sendWithTools = async (id: string, request: TurnRequest) => {
  const { content, model, provider, securityMode } = request
  const options = {
    ...(securityMode === undefined ? {} : { securityMode }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  }
  await client.sendMessageWithTools({ params: { id }, body: { content, ...options } })
  await refresh(id)
}

/** Resolves when the session has started; its follower continues the stream. */
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
