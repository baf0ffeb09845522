import { collection, countRows } from '../core/collection.ts'
import { type AgentSession, AgentSessionSchema } from './schema.ts'

export const KEEP_MS = 30 * 86_400_000

/**
 * A stored session. The session of a task has no state of its own: it has the state of its task. `followedUntil` (epoch
 * milliseconds) says that another process follows the session, `cancelRequestedAt` that the session is to stop.
 */
export type AgentSessionRow = AgentSession & {
  expiresAt: number
  followedUntil?: number
  cancelRequestedAt?: string
}

export const sessionCounter = (userId: string): string => `agentSessions:${userId}`

export const agentSessions = collection<AgentSessionRow, 'followedUntil' | 'cancelRequestedAt'>({
  name: 'agentSessions',
  key: 'id',
  indexes: {
    ofUser: { within: 'userId', by: 'createdAt' },
    ofConversation: { within: 'conversationId', by: 'createdAt' },
    byStatus: { within: 'status', by: 'createdAt' },
  },
  summary: [...AgentSessionSchema.keyof().options, 'expiresAt'],
  // No list shows these fields, and an index with them would be written at every renewal of a mark.
  detail: ['followedUntil', 'cancelRequestedAt'],
  expires: 'expiresAt',
  counts: countRows(({ userId }) => [sessionCounter(userId)]),
  recount: { index: 'ofUser', ofUser: sessionCounter },
})

/** The id of the one session of a task. */
export const toSessionId = (taskId: string): string => `sess_${taskId.replace(/^task_/, '')}`
export const toStreamName = (sessionId: string): string => `session:${sessionId}`

/** Ids of the events of a session sort by run, then by number. */
export const eventId = (run: number, count: number): string =>
  `${String(run).padStart(4, '0')}-${String(count).padStart(7, '0')}`

/** The id of an event that follows all others of a run. */
export const afterAll = (run: number): string => eventId(run, 9_999_999)

/** The events of a conversation's session are of one run; each run of a task adds events to the task's session. */
export const ONLY_RUN = 1
