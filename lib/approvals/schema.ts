import * as z from 'zod'
import { RiskSchema } from '../tools/schema.ts'

export const DecisionSchema = z.enum(['allow-once', 'allow-always', 'deny'])
export type Decision = z.output<typeof DecisionSchema>

export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const

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

const id = z.string().min(1).max(200)
/** Says that an approval is decided or has expired, so that what waits for it goes on. */
export const TurnSchema = z.object({
  approvalId: id,
  conversationId: id.exactOptional(),
  taskId: id.exactOptional(),
})
export type Turn = z.output<typeof TurnSchema>
/** Goes on with what waits for an approval. A repeat finds nothing that waits. */
export type ContinueTurn = (turn: Turn) => Promise<void>
