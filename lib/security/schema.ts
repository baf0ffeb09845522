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
    defaultMode: SecurityModeSchema.describe('Default mode of conversations'),
    allowedTools: toolList.describe(
      'Tools that mode `allowlist` allows, and mode `ask` allows without approval',
    ),
    blockedTools: toolList.meta({
      description: 'Tools blocked in every mode, including `full`',
      examples: [['git']],
    }),
    requireApprovalFor: toolList.describe(
      'Tools that need approval in every mode that allows them, except in agentic turns',
    ),
    auditAll: z.boolean().describe('Whether the audit log also records allowed reads'),
    toolRateLimitPerMinute: z.int().min(1).max(10_000).describe('Maximum tool calls per user and minute'),
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
    callId: z.string().describe('Id of the call in its conversation and in session events'),
    arguments: z.unknown().meta({
      id: 'ToolArguments',
      description: 'Complete in a single entry; in lists, a text of at most 200 characters',
    }),
    result: z.string().describe('Complete in a single entry; in lists, at most 200 characters'),
    failed: z.boolean(),
    mode: SecurityModeSchema,
    decision: z.enum(toolDecisions),
    guard: z.string().optional().describe('Guard that blocked the call'),
    approvalId: z.string().optional(),
    durationMs: z.number(),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'ToolCallEntry' })
export type ToolCallEntry = z.output<typeof ToolCallEntrySchema>
