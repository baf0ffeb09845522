import * as z from 'zod'
import { LONGEST_APPROVAL_MS } from '../core/approval-expiry.ts'
import { CONTROLS } from '../core/controls.ts'
import { LONGEST_RETRY_AFTER_MS } from '../core/retry-after.ts'
import { exactText, shownText } from '../core/shown-text.ts'
import { PolicySchema, SecurityModeSchema } from '../security/schema.ts'
import { CostSchema, TaskErrorSchema, TaskResultSchema, TaskSchema } from '../tasks/schema.ts'
import { RiskSchema } from '../tools/schema.ts'

/**
 * The version of what runners and services say to each other. A field that the other side may ignore leaves it as it is.
 */
export const PROTOCOL = 1

const timestamp = z.iso.datetime()
/** The latest time that a Date can have (ECMA-262, section 21.4.1.1). */
const LATEST_MS = 8.64e15
const label = exactText(200)
const agentType = exactText(200)

/** How programs of agents are kept apart from the runner, and from each other. */
const IsolationSchema = z.enum(['bubblewrap', 'users', 'none'])

/** An agent that a runner has: its type, or more about it. */
const OfferedAgentSchema = z.object({
  type: agentType.meta({ examples: ['claude-code'] }),
  name: shownText(200).optional(),
  description: z
    .string()
    .max(1_000)
    .refine((text) => !CONTROLS.test(text), 'must not contain control characters')
    .optional(),
  version: exactText(200).optional(),
  canResume: z.boolean().optional(),
  timeoutMs: z.int().min(1).optional(),
})
export type OfferedAgent = z.output<typeof OfferedAgentSchema>

export const RegisterRunnerBody = z.object({
  name: exactText(100).meta({ examples: ['build-1'] }),
  version: exactText(100).describe('Version of the runner program'),
  protocol: z.int().min(1).default(PROTOCOL).describe('Version of the protocol between runner and service'),
  labels: z
    .array(label)
    .max(50)
    .default([])
    .meta({ examples: [['linux', 'gpu']] }),
  agents: z
    .array(z.union([agentType.transform((type) => ({ type })), OfferedAgentSchema]))
    .max(200)
    .describe('Agents of the runner, as types or objects with details'),
  concurrency: z.int().min(1).max(1_000).describe('Maximum concurrent runs'),
  isolation: IsolationSchema.default('none'),
})
export type RegisterRunner = z.output<typeof RegisterRunnerBody>

export const RunnerSchema = z
  .object({
    id: z.string(),
    name: z.string().meta({ examples: ['build-1'] }),
    status: z
      .enum(['online', 'draining', 'offline', 'removed'])
      .describe(
        '`offline`: not seen for a minute. `draining`: takes no more tasks. `removed`: rejected until an admin lets it take tasks again',
      ),
    drained: z.boolean().describe('Whether an admin drained the runner, even if it is offline'),
    version: z.string(),
    labels: z.array(z.string()),
    agents: z.array(OfferedAgentSchema),
    concurrency: z.number(),
    isolation: IsolationSchema,
    running: z.array(z.string()).describe('Ids of its running tasks, as last reported'),
    registeredAt: timestamp,
    lastSeenAt: timestamp,
    userId: z.string().describe('User who created its API token; `installation` for `RUNNER_TOKEN`'),
  })
  .meta({ id: 'Runner' })
export type Runner = z.output<typeof RunnerSchema>

/** What the program of a runner is told, beside the settings of its agents. */
export type RunnerSettings = {
  url: string
  token: string
  name: string
  labels: readonly string[]
  concurrency: number
  /** It ends after one task. */
  once: boolean
  /** Of its workspaces, and of outcomes that the service has not acknowledged. */
  folder: string
  /** The port of its status page on loopback; absent: none. */
  statusPort?: number | undefined
}

/** A claim by its task and its fencing token. */
export const ClaimKeySchema = z.object({ taskId: z.string().min(1).max(200), fence: z.int().min(1) })

const plainObject = z.record(z.string(), z.unknown())

const EarlierTurnSchema = TaskSchema.pick({
  id: true,
  title: true,
  description: true,
  prompt: true,
  status: true,
  result: true,
  error: true,
})

/** The account of the code host for the task's repository, for this claim alone. */
const CredentialSchema = z.object({ token: z.string(), scopes: z.array(z.string()) })

export const ClaimSchema = z
  .object({
    task: TaskSchema,
    attempt: z.number(),
    fence: z.number().describe('Fencing token of the claim, required in later requests'),
    leaseMs: z.number().describe('Time without renewal after which the claim is lost, in milliseconds'),
    resume: z.boolean().describe('Whether the attempt continues after a decision'),
    workspace: z.string().describe('Name of the workspace'),
    earlier: z
      .object({
        previous: EarlierTurnSchema,
        continuation: plainObject.optional(),
        since: z.array(EarlierTurnSchema),
      })
      .optional()
      .describe('Earlier turns of the thread'),
    checkpoint: plainObject.optional().describe('State that the waiting run left to continue with'),
    costBefore: z.number().optional(),
    attemptCost: CostSchema.optional(),
    refusals: z.number().optional(),
    credential: CredentialSchema.optional(),
    publishes: z.boolean().describe('Whether changes to a repository become pull requests'),
    securityMode: SecurityModeSchema.describe('Default security mode of tasks'),
    ownerIsLocalAdmin: z.boolean(),
    policy: PolicySchema,
    now: timestamp.optional().describe('Time of the service'),
  })
  .meta({ id: 'RunnerClaim' })
export type Claim = z.output<typeof ClaimSchema>

/** What a task and its present attempt have cost up to now. */
export const spentFields = { cost: CostSchema.optional(), attemptCost: CostSchema.optional() }

const eventIdText = z.string().regex(/^\d{4,10}-\d{7}$/)
/** An event of an agent session, numbered by its runner: the fencing token, then the number in this claim. */
const SessionEventSchema = z.object({
  id: eventIdText,
  type: z.string().min(1).max(100),
  timestamp: z.int().min(0).max(LATEST_MS),
  data: plainObject,
})
const ulidOf = (kind: string) => z.string().regex(new RegExp(`^${kind}_[0-9A-HJKMNP-TV-Z]{26}$`))
const ProgressSchema = z.object({ id: ulidOf('evt'), message: z.string().max(20_000) })
const ToolCallSchema = z.object({
  id: ulidOf('tca'),
  callId: z.string().max(500),
  tool: z.string().max(500),
  risk: RiskSchema.optional(),
  arguments: z.unknown(),
  result: z.string().max(200_000),
  failed: z.boolean(),
  decision: z.enum(['allowed', 'approved', 'denied', 'blocked', 'invalid', 'pending']),
  guard: z.string().max(100).optional(),
  approvalId: z.string().max(200).optional(),
  mode: SecurityModeSchema,
  durationMs: z.number().min(0),
})
export const ReportBody = z.object({
  fence: ClaimKeySchema.shape.fence,
  target: z
    .object({ provider: z.string().max(200), model: z.string().max(200) })
    .default({ provider: 'unknown', model: 'unknown' })
    .describe('Provider and model of the agent, for the session'),
  events: z.array(SessionEventSchema).max(500).default([]),
  progress: z.array(ProgressSchema).max(500).default([]),
  toolCalls: z.array(ToolCallSchema).max(500).default([]),
})
export type Report = z.output<typeof ReportBody>

const WaitingCallSchema = z.object({
  approvalId: z.string().max(200),
  toolCallId: z.string().max(500),
  name: z.string().max(500),
})
export const PauseBody = z.object({
  fence: ClaimKeySchema.shape.fence,
  message: z.string().max(2_000),
  approvals: z.array(WaitingCallSchema).max(100),
})

export type Pause = z.output<typeof PauseBody>

export const RunnerApprovalBody = z.object({
  fence: ClaimKeySchema.shape.fence,
  requestId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Id that makes the request repeatable: a repeat returns the same answer and uses no second decision',
    ),
  uses: z.boolean().describe('Whether the call is made now, which uses the decision'),
  tool: z.string().min(1).max(200),
  risk: RiskSchema,
  arguments: plainObject,
  title: z.string().max(500),
  mode: SecurityModeSchema,
  ttlMs: z.number().min(0).max(LONGEST_APPROVAL_MS).optional(),
  awaited: z.literal(true).optional(),
})
export type RunnerApproval = z.output<typeof RunnerApprovalBody>
export const ApprovalAnswerSchema = z.union([
  z.object({ state: z.literal('approved'), approvalId: z.string().optional() }),
  z.object({ state: z.literal('denied'), approvalId: z.string().optional(), reason: z.string() }),
  z.object({ state: z.literal('pending'), approvalId: z.string() }),
])

/** What memory has for a run before it begins. */
export const GuidanceSchema = z.object({
  chunks: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      startLine: z.number(),
      endLine: z.number(),
      heading: z.string().optional(),
      text: z.string(),
    }),
  ),
  experiences: z.array(
    z.object({ id: z.string(), intent: z.string(), solution: z.union([z.string(), plainObject]) }),
  ),
})

export type RunGuidance = z.output<typeof GuidanceSchema>

/** How a run ended. */
export const RunEndSchema = z.union([
  z.object({ kind: z.literal('succeeded'), result: TaskResultSchema, continuation: plainObject.optional() }),
  z.object({
    kind: z.literal('failed'),
    error: TaskErrorSchema.extend({
      code: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
      message: z.string().max(4_000),
    }),
    retryable: z.boolean(),
    retryAfterMs: z.number().min(0).max(LONGEST_RETRY_AFTER_MS).optional(),
    refused: z.boolean().optional(),
    result: TaskResultSchema.optional(),
    continuation: plainObject.optional(),
  }),
  z.object({
    kind: z.literal('waiting'),
    checkpoint: plainObject,
    message: z.string().max(4_000),
    approvals: z.array(WaitingCallSchema).max(100),
  }),
  z.object({
    kind: z.literal('stopped'),
    reason: z.enum(['cancelled', 'lost', 'shutdown']),
    isUnbegun: z
      .literal(true)
      .optional()
      .describe('Whether the agent was not called; the next claim then continues like this one'),
  }),
])
export type RunEnd = z.output<typeof RunEndSchema>
