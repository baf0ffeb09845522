import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AgentSession } from '../../../../lib/agentic/schema.ts'
import { eventsIn, type StreamEvent } from '../../../../lib/api/server-sent-events.ts'
import type { ToolCallEntry } from '../../../../lib/security/schema.ts'
import { advanced, beginning, type Progress, type Run, type RunEvent, rewound } from '../run/run.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { isConnected } from './connection.ts'
import { EVERY_MS, isRefusal, useLive } from './live.ts'
import { queryClient } from './query-client.ts'
import { createSignal } from './signal.ts'

export type { AgentSession }

const key = ['sessions-of-agents'] as const

export const isSessionOver = ({ status }: Pick<AgentSession, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

export const useAgentSession = (id: string) =>
  useLive(
    [...key, 'one', id],
    async (signal) => (await client.getAgentSession({ params: { id } }, { signal })).session,
    (session) => (session && isSessionOver(session) ? EVERY_MS.calm : EVERY_MS.list),
  )

const ofConversation = (conversationId: string) => [...key, 'of-conversation', conversationId]
const MOST_SHOWN = 20

/** Newest first. */
export const useConversationSessions = (conversationId: string) =>
  useLive(
    ofConversation(conversationId),
    async (signal) => {
      const query = { conversationId, limit: MOST_SHOWN }
      return (await client.listAgentSessions({ query }, { signal })).sessions
    },
    EVERY_MS.list,
  )

/**
 * The session that made a tool call: that of its task, or the one of its conversation that ran at that time. Turns that are not streamed
 * have none. Searches the newest hundred.
 */
export const useSessionAt = ({ taskId, conversationId, timestamp }: ToolCallEntry) => {
  return useQuery({
    queryKey: [...key, 'at', taskId, conversationId, timestamp],
    queryFn: async ({ signal }) => {
      if (taskId === undefined && conversationId === undefined) return null
      const filter = taskId === undefined ? { conversationId } : { taskId }
      const { sessions } = await client.listAgentSessions({ query: { ...filter, limit: 100 } }, { signal })
      const isAt = ({ createdAt, endedAt }: AgentSession) =>
        createdAt <= timestamp && (endedAt === undefined || timestamp <= endedAt)
      return sessions.find((session) => taskId !== undefined || isAt(session)) ?? null
    },
    staleTime: EVERY_MS.calm,
  })
}

/** Adds a session to the cache before the list is refetched. */
export const noteSession = (conversationId: string, session: AgentSession) => {
  queryClient.setQueryData<AgentSession[]>(ofConversation(conversationId), (known = []) => [
    session,
    ...known.filter(({ id }) => id !== session.id),
  ])
}

/** Sessions start with an attempt; after ten polls without one it is unlikely. */
const sessionPollMs = (looks: number) => (looks < 10 ? EVERY_MS.running : EVERY_MS.calm)

/** Agents that report no steps have no session. */
export const useSessionOfTask = (taskId: string, isRunning: boolean) =>
  useQuery({
    queryKey: [...key, 'of-task', taskId, isRunning],
    queryFn: async ({ signal }) =>
      (await client.listAgentSessions({ query: { taskId } }, { signal })).sessions[0] ?? null,
    // Keeps the session of the same task while the key changes at its end.
    placeholderData: (before, query) => (query?.queryKey[2] === taskId ? before : undefined),
    refetchInterval: ({ state }) =>
      isRunning && !state.data && !isRefusal(state.error) ? sessionPollMs(state.dataUpdateCount) : false,
  })

export const useStopSession = () =>
  useChange((id: string) => client.cancelAgentSession({ params: { id } }), [...key])

export type Followed = {
  readonly run: Run
  /** `opening` before the first event, `lost` while reconnecting, `over` after the last event. */
  readonly connection: 'opening' | 'open' | 'lost' | 'over'
  readonly error?: unknown
}

export type Source = { readonly batches: AsyncIterable<readonly StreamEvent[]>; readonly leave: () => void }

/** The stream sends a comment every 15 s, so after this silence the connection is dead. */
const SILENCE_MS = 45_000
const PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

const EVENTS_AT_ONCE = 200
const LETTERS_AT_ONCE = 50_000

/** Splits a batch and yields to the event loop in between: the replay of a finished run has thousands of events. */
async function* inPieces(events: readonly StreamEvent[]): AsyncGenerator<readonly StreamEvent[]> {
  let piece: StreamEvent[] = []
  let letters = 0
  for (const event of events) {
    piece.push(event)
    letters += event.data.length
    if (piece.length < EVENTS_AT_ONCE && letters < LETTERS_AT_ONCE) continue
    yield piece
    await new Promise((resolve) => setTimeout(resolve))
    piece = []
    letters = 0
  }
  if (piece.length > 0) yield piece
}

const runEvent = ({ id, data }: StreamEvent): RunEvent => ({ ...JSON.parse(data), id })

/** Resolves early when the connection returns. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unsubscribe = isConnected.subscribe(() => isConnected.get() && done())
    signal.addEventListener('abort', done, { once: true })
  })

const openStream = async (id: string, after: string): Promise<Source> => {
  const leaving = new AbortController()
  const headers = after === '' ? {} : { 'last-event-id': after }
  const { body } = await client.followAgentSession.raw(
    { params: { id } },
    { signal: leaving.signal, headers },
  )
  if (body === null) throw new TypeError('The stream has no body')
  return { batches: eventsIn(body), leave: () => leaving.abort() }
}

/** Replays past events, follows new ones, and reconnects until the session ends. */
const createFollower = (id: string) => {
  const state = createSignal<Followed>({ run: beginning.run, connection: 'opening' })
  let progress: Progress = beginning
  let stopping: AbortController | undefined
  let readers = 0
  let isOfTask = false

  const set = (change: Partial<Followed>) => state.set({ ...state.get(), ...change })

  const read = async ({ batches }: Source, signal: AbortSignal, onAlive: () => void) => {
    let base: Progress | undefined = rewound(progress)
    for await (const batch of batches) {
      onAlive()
      if (batch.length === 0) continue
      for await (const events of inPieces(batch)) {
        if (signal.aborted) return
        progress = advanced(base ?? progress, events.map(runEvent))
        base = undefined
      }
      set({ run: progress.run, connection: 'open' })
    }
  }

  const isOver = async (signal: AbortSignal) => {
    const { session } = await client.getAgentSession({ params: { id } }, { signal })
    isOfTask = session.taskId !== undefined
    queryClient.setQueryData([...key, 'one', id], session)
    return isSessionOver(session)
  }

  /** Resolves to whether the session has ended. */
  const connect = async (first: Source | undefined, signal: AbortSignal, onAlive: () => void) => {
    const source = first ?? (await openStream(id, progress.mark.id))
    let timer = setTimeout(source.leave, SILENCE_MS)
    const alive = () => {
      clearTimeout(timer)
      timer = setTimeout(source.leave, SILENCE_MS)
      onAlive()
    }
    signal.addEventListener('abort', source.leave, { once: true })
    if (signal.aborted) source.leave()
    try {
      await read(source, signal, alive)
      return await isOver(signal)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', source.leave)
    }
  }

  /** Resolves to whether to reconnect. */
  const goesOn = async (first: Source | undefined, signal: AbortSignal, onAlive: () => void) => {
    if (signal.aborted) return false
    try {
      if (!(await connect(first, signal, onAlive))) return true
      set({ connection: 'over' })
    } catch (error) {
      if (signal.aborted) return false
      if (!isRefusal(error)) return true
      set({ connection: 'over', error })
    }
    return false
  }

  const followToEnd = async (first: Source | undefined, signal: AbortSignal) => {
    let failures = 0
    const onAlive = () => {
      failures = 0
    }
    for (let source = first; await goesOn(source, signal, onAlive); source = undefined) {
      if (state.get().connection !== 'opening') set({ connection: 'lost' })
      await pause(Math.min(PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), signal)
      failures += 1
    }
  }

  const begin = (first?: Source) => {
    if (stopping) return
    const leaving = new AbortController()
    stopping = leaving
    void followToEnd(first, leaving.signal).finally(() => {
      if (stopping === leaving) stopping = undefined
      forget()
    })
  }

  const forget = () => {
    if (readers === 0 && !stopping) followers.delete(id)
  }

  return {
    state,
    begin,
    /** Registers a reader; the result unregisters it. */
    hold: () => {
      readers += 1
      return () => {
        readers -= 1
        // The service cancels a conversation turn without readers, so its stream is read until the page closes.
        setTimeout(() => {
          if (readers > 0) return
          if (isOfTask || state.get().run.attempt !== undefined) stopping?.abort()
          forget()
        })
      }
    },
  }
}

const followers = new Map<string, ReturnType<typeof createFollower>>()

const getFollower = (id: string) => {
  const known = followers.get(id)
  if (known) return known
  const made = createFollower(id)
  followers.set(id, made)
  return made
}

/** Continues a stream whose first events were read elsewhere. */
export const adoptStream = (id: string, source: Source) => getFollower(id).begin(source)

const noFollower = {
  state: createSignal<Followed>({ run: beginning.run, connection: 'opening' }),
  begin: () => undefined,
  hold: () => () => undefined,
}

/** `isGoing`: more events may come, of a session that may have been over. */
export const useFollowed = (id: string | undefined, isGoing: boolean): Followed => {
  const follower = id === undefined ? noFollower : getFollower(id)
  useEffect(() => follower.hold(), [follower])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a task that goes on after its end is followed anew.
  useEffect(() => follower.begin(), [follower, isGoing])
  return follower.state.use()
}
