import { cutText, shortenedText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { Masker } from '../core/masker.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { LONGEST_CALL_RESULT } from '../core/tool-call-limits.ts'
import type { ToolCall } from '../ports/model.ts'
import type { ToolDecision, ToolOutcome, ToolSession } from '../ports/tool.ts'
import type { GuardName } from './guards.ts'
import type { Risk } from './schema.ts'

/** The record of one tool call, also of a refused one. Secrets are masked everywhere, and each part is bounded. */
export type ToolCallRecord = {
  callId: string
  tool: string
  risk?: Risk
  arguments: unknown
  result: string
  failed: boolean
  decision: ToolDecision
  guard?: GuardName
  approvalId?: string
  mode: SecurityMode
  userId: string
  taskId?: string
  conversationId?: string
  durationMs: number
}

const MOST_ARGUMENTS = 100_000

/** The arguments, or the beginning of their JSON if that is too long. */
const boundedArguments = (call: ToolCall, masker: Masker): unknown => {
  const masked = masker.logValue(call.arguments)
  const text = JSON.stringify(masked) ?? 'null'
  return text.length > MOST_ARGUMENTS ? { cut: shortenedText(text, MOST_ARGUMENTS) } : (masked ?? null)
}

/** The user of a call, and its task or conversation. */
type CallOwner = { userId: string; taskId?: string | undefined; conversationId?: string | undefined }

/** The owner of a call, without undefined fields. */
export const callOwner = ({ userId, taskId, conversationId }: CallOwner) => ({
  userId,
  ...definedFields({ taskId, conversationId }),
})

type Went = { outcome: ToolOutcome; risk: Risk | undefined; guard?: GuardName; approvalId?: string }

export const toolCallRecord = (
  call: ToolCall,
  session: CallOwner & Pick<ToolSession, 'mode'>,
  { outcome: { content, failed, decision, durationMs }, risk, guard, approvalId }: Went,
  masker: Masker,
): ToolCallRecord => ({
  callId: call.id,
  tool: masker.logText(shortenedText(call.name, 200)),
  ...(risk && { risk }),
  arguments: boundedArguments(call, masker),
  // Masked before the cut: half a secret would not look like one.
  result: shortenedText(masker.logText(cutText(content, 2 * LONGEST_CALL_RESULT)), LONGEST_CALL_RESULT),
  failed,
  decision,
  ...definedFields({ guard, approvalId }),
  mode: session.mode,
  ...callOwner(session),
  durationMs,
})
