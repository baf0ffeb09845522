import { collection, countRows } from '../core/collection.ts'
import { LOST_TEXT } from '../core/truncated.ts'
import type { Policy, ToolCallEntry } from './schema.ts'

/** The changed policy values. `version` grows, so that concurrent changes do not undo each other. */
export type PolicyRow = { id: string; version: number; values: Partial<Policy> }
export const POLICY_ID = 'policy'
export const policyRows = collection<PolicyRow>({ name: 'securityPolicy', key: 'id', indexes: {} })

export const TOOL_CALL_COUNTER = 'toolCalls'
export const userToolCallCounter = (userId: string): string => `${TOOL_CALL_COUNTER}:${userId}`

/** A recorded tool call in full; lists show the summaries of long values. `sessionId` is its conversation or task. */
export type ToolCallRow = ToolCallEntry & {
  callId: string
  argumentsSummary: string
  resultSummary: string
  sessionId?: string
  expiresAt: number
}

type Detail = 'arguments' | 'result'

export const toolCalls = collection<ToolCallRow, Detail>({
  name: 'toolCalls',
  key: 'id',
  indexes: {
    newest: { by: 'timestamp' },
    ofUser: { within: 'userId', by: 'timestamp' },
    ofSession: { within: 'sessionId', by: 'timestamp' },
  },
  detail: ['arguments', 'result'],
  placeholders: { result: LOST_TEXT },
  summary: [
    ...(['id', 'timestamp', 'userId', 'conversationId', 'taskId', 'tool', 'mode', 'decision'] as const),
    ...(['failed', 'guard', 'approvalId', 'durationMs', 'callId'] as const),
    ...(['argumentsSummary', 'resultSummary', 'sessionId', 'expiresAt'] as const),
  ],
  expires: 'expiresAt',
  counts: countRows(({ userId }) => [TOOL_CALL_COUNTER, userToolCallCounter(userId)]),
  recount: { index: 'newest', counter: TOOL_CALL_COUNTER, ofUser: userToolCallCounter },
})
