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
export const SESSIONS_MEMBER = 'all'

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
  counts: countRows(({ userId }) => [{ counter: sessionCounter(userId), member: SESSIONS_MEMBER }]),
  recount: { index: 'ofUser', ofUser: sessionCounter },
})

export const toStreamName = (sessionId: string): string => `session:${sessionId}`
