import * as z from 'zod'
import type { SecurityMode } from '../core/security-mode.ts'
import { TruncatedSchema } from '../core/truncated.ts'
import { type Risk, RiskSchema } from '../tools/schema.ts'

export const DecisionSchema = z.enum(['allow-once', 'allow-always', 'deny'])
export type Decision = z.output<typeof DecisionSchema>

const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const

export const ApprovalSchema = z
  .object({
    id: z.string(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    userId: z.string(),
    toolName: z.string().meta({ examples: ['run_command'] }),
    title: z.string().describe('Human-readable summary of the call'),
    params: z
      .record(z.string(), z.unknown())
      .describe('Arguments of the call; configured secrets are masked'),
    securityLevel: RiskSchema.describe('Highest risk of the tool'),
    requestedAt: z.iso.datetime(),
    expiresAt: z.iso
      .datetime()
      .optional()
      .describe('When the approval expires; absent if it does not expire'),
    status: z.enum(APPROVAL_STATES),
    decision: DecisionSchema.optional(),
    decidedAt: z.iso.datetime().optional(),
    decidedBy: z.string().optional(),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'Approval' })
export type Approval = z.output<typeof ApprovalSchema>

/** A tool that needs no further approval in one conversation or task, after `allow-always`. */
export const AllowedToolSchema = z
  .object({
    id: z.string().describe('Approval that allowed the tool'),
    toolName: z.string().meta({ examples: ['run_command'] }),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    userId: z.string(),
    allowedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'AllowedTool' })
export type AllowedTool = z.output<typeof AllowedToolSchema>

const id = z.string().min(1).max(200)
/** The message that an approval is decided or has expired: the run that waits for it continues. */
const DecidedApprovalSchema = z.object({
  approvalId: id,
  conversationId: id.exactOptional(),
  taskId: id.exactOptional(),
})
/** The message that a task ended while it waited: its approvals are withdrawn. */
const EndedWaitSchema = z.object({ endedTaskId: id, userId: id })
export const TurnMessageSchema = z.union([DecidedApprovalSchema, EndedWaitSchema])
export type TurnMessage = z.output<typeof TurnMessageSchema>
/** Continues the run that waits for an approval, or withdraws those of an ended task. A repeat does nothing. */
export type ContinueTurn = (message: TurnMessage) => Promise<void>

/** A call that needs a person's approval, bound to these exact arguments. */
export type ApprovalRequest = {
  tool: string
  risk: Risk
  arguments: Readonly<Record<string, unknown>>
  title: string
  mode: SecurityMode
  userId: string
  taskId?: string
  conversationId?: string
  /** The time for the decision; 0 has no end. By default 10 minutes, for a task none. */
  ttlMs?: number
  /** Its run looks for the decision itself. */
  awaited?: true
  /** Of the request, where it may be repeated: the repeat has the same answer. */
  requestId?: string
}

/** The state of an approval that a run waits for: `decided` also when it no longer exists. */
export type WaitState = 'pending' | 'decided' | 'expired'

/** `approvalId` is absent when the tool is allowed in the whole session. */
export type ApprovalAnswer =
  | { state: 'approved'; approvalId?: string }
  | { state: 'denied'; approvalId?: string; reason: string }
  | { state: 'pending'; approvalId: string }
