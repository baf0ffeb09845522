import type { Masker } from '../core/masker.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { ToolCall } from '../ports/model.ts'
import type { ToolDecision, ToolOutcome, ToolSession } from '../ports/tool.ts'
import type { GuardName } from './guards/guard.ts'

/** One tool call as it went, refused ones included. `result` is a summary; secrets are masked in all of it. */
export type ToolCallRecord = {
  callId: string
  tool: string
  arguments: unknown
  result: string
  failed: boolean
  decision: ToolDecision
  guard?: GuardName
  mode: SecurityMode
  userId: string
  taskId?: string
  conversationId?: string
  durationMs: number
}

const MOST_RESULT = 500

const summaryOf = (content: string, masker: Masker): string => {
  const masked = masker.logText(content.slice(0, 8 * MOST_RESULT))
  return masked.length > MOST_RESULT ? `${masked.slice(0, MOST_RESULT - 1)}…` : masked
}

/** Whose call it was, without fields that are not there. */
export const ownerOf = ({ userId, taskId, conversationId }: ToolSession) => ({
  userId,
  ...(taskId !== undefined && { taskId }),
  ...(conversationId !== undefined && { conversationId }),
})

export const recordOf = (
  call: ToolCall,
  session: ToolSession,
  { content, failed, decision, durationMs }: ToolOutcome,
  guard: GuardName | undefined,
  masker: Masker,
): ToolCallRecord => ({
  callId: call.id,
  tool: call.name,
  arguments: masker.logValue(call.arguments),
  result: summaryOf(content, masker),
  failed,
  decision,
  ...(guard && { guard }),
  mode: session.mode,
  ...ownerOf(session),
  durationMs,
})
