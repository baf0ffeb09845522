import * as z from 'zod'
import { securityModes } from '../core/security-mode.ts'
import { TruncatedSchema } from '../core/truncated.ts'
import { ToolNameSchema } from '../tools/schema.ts'

export const SecurityModeSchema = z.enum(securityModes)

const toolList = z
  .array(ToolNameSchema)
  .max(100)
  .overwrite((names) => [...new Set(names)])

/** The policy of tools in this installation. Guards apply in addition. */
export const PolicySchema = z
  .object({
    defaultMode: SecurityModeSchema.describe('The mode of conversations that name none'),
    allowedTools: toolList.describe(
      'Allowed: what mode `allowlist` lets through, and mode `ask` does not ask about',
    ),
    blockedTools: toolList.meta({ description: 'Refused in every mode, `full` too', examples: [['git']] }),
    requireApprovalFor: toolList.describe(
      'Asks for approval in every mode that would let the tool through; not for agentic turns',
    ),
    auditAll: z.boolean().describe('false leaves reads that were allowed out of the audit'),
    toolRateLimitPerMinute: z.int().min(1).max(10_000).describe('Tool calls of one user'),
  })
  .meta({ id: 'SecurityPolicy' })
export type Policy = z.output<typeof PolicySchema>

export const defaultPolicy: Policy = Object.freeze({
  defaultMode: 'ask',
  allowedTools: [],
  blockedTools: [],
  requireApprovalFor: [],
  auditAll: true,
  toolRateLimitPerMinute: 300,
})

/** Access to the policy: `known` is the last read, `current` has every change that was answered. */
export type PolicySource = { known(): Policy; current(): Promise<Policy> }

const toolDecisions = ['allowed', 'approved', 'denied', 'blocked', 'invalid', 'pending'] as const

/** The record of a tool call, also of a refused one. Secrets are masked. */
export const ToolCallEntrySchema = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    userId: z.string(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    tool: z.string().meta({ examples: ['run_command'] }),
    callId: z.string().describe('The id of the call in its conversation, and in the events of its session'),
    arguments: z.unknown().meta({
      id: 'ToolArguments',
      description: 'Whole in one entry, a text of at most 200 characters in lists',
    }),
    result: z.string().describe('Whole in one entry, at most 200 characters in lists'),
    failed: z.boolean(),
    mode: SecurityModeSchema,
    decision: z.enum(toolDecisions),
    guard: z.string().optional().describe('The guard that refused it'),
    approvalId: z.string().optional(),
    durationMs: z.number(),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'ToolCallEntry' })
export type ToolCallEntry = z.output<typeof ToolCallEntrySchema>
