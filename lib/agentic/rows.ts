import { collection, countRows } from '../core/collection.ts'
import type { AgentSession } from './schema.ts'

/** Sessions and their events are kept for so long. */
export const KEEP_MS = 30 * 86_400_000

/**
 * A session as it is stored. That of a task has no state of its own: it is in the state of its task. `followedUntil` (epoch
 * milliseconds) says that another process follows it, `cancelRequestedAt` that it is to stop.
 */
export type AgentSessionRow = AgentSession & {
  expiresAt: number
  followedUntil?: number
  cancelRequestedAt?: string
}

/** The counters of a user's sessions. */
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
  summary: [
    'id',
    'status',
    'conversationId',
    'taskId',
    'userId',
    'provider',
    'model',
    'createdAt',
    'endedAt',
    'error',
    'expiresAt',
  ],
  // No list shows them, and each index that had them would be written with every renewal of a mark.
  detail: ['followedUntil', 'cancelRequestedAt'],
  expires: 'expiresAt',
  counts: countRows(({ userId }) => [{ counter: sessionCounter(userId), member: SESSIONS_MEMBER }]),
  recount: { index: 'ofUser', ofUser: sessionCounter },
})

/** The stream of a session's events on the feed. */
export const streamOf = (sessionId: string): string => `session:${sessionId}`
