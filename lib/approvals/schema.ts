import * as z from 'zod'
import type { SecurityMode } from '../core/security-mode.ts'
import { type Risk, RiskSchema } from '../tools/schema.ts'

export const DecisionSchema = z.enum(['allow-once', 'allow-always', 'deny'])
export type Decision = z.output<typeof DecisionSchema>

const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const

/** A tool call that a person is asked about. */
export const ApprovalSchema = z
  .object({
    id: z.string(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    userId: z.string(),
    toolName: z.string(),
    /** One line about the call, for a person. */
    title: z.string(),
    params: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The arguments; configured secrets are masked' }),
    securityLevel: RiskSchema.meta({ description: 'What the tool can do at worst' }),
    requestedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    status: z.enum(APPROVAL_STATES),
    decision: DecisionSchema.optional(),
    decidedAt: z.iso.datetime().optional(),
    decidedBy: z.string().optional(),
  })
  .meta({ id: 'Approval' })
export type Approval = z.output<typeof ApprovalSchema>

/** A tool that needs no approval any more in one conversation or task, since a call of it was allowed always. */
export const AllowedToolSchema = z
  .object({
    id: z.string().meta({ description: 'The approval that allowed it' }),
    toolName: z.string(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    userId: z.string(),
    allowedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'AllowedTool' })
export type AllowedTool = z.output<typeof AllowedToolSchema>

const id = z.string().min(1).max(200)
/** Says that an approval is decided or has expired, so that what waits for it goes on. */
const DecidedApprovalSchema = z.object({
  approvalId: id,
  conversationId: id.exactOptional(),
  taskId: id.exactOptional(),
})
/** Says that a task has ended while it waited: nothing waits for its approvals any more. */
const EndedWaitSchema = z.object({ endedTaskId: id, userId: id })
/** The message to what waits for approvals. */
export const TurnMessageSchema = z.union([DecidedApprovalSchema, EndedWaitSchema])
export type TurnMessage = z.output<typeof TurnMessageSchema>
/** Goes on with what waits for an approval, or takes back what a task waited for. A repeat finds nothing that waits. */
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
}

/** `approvalId` is absent where the tool was allowed for the whole session. */
export type ApprovalAnswer =
  | { state: 'approved'; approvalId?: string }
  | { state: 'denied'; approvalId?: string; reason: string }
  | { state: 'pending'; approvalId: string }
