import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { FoundChunkSchema } from '../memory/schema.ts'
import {
  ApprovalAnswerSchema,
  ClaimKeySchema,
  ClaimSchema,
  GuidanceSchema,
  PauseBody,
  RegisterRunnerBody,
  ReportBody,
  RunEndSchema,
  RunnerApprovalBody,
  RunnerSchema,
  spentFields,
} from './schema.ts'

const RunnerParams = idParams('rnr')
const ClaimParams = RunnerParams.extend({ taskId: ClaimKeySchema.shape.taskId })
const Fenced = z.object({ fence: ClaimKeySchema.shape.fence })
const done = z.object({ ok: z.literal(true) })

/** The longest poll: an HTTP API gives up an answer after 30 s. */
const LONGEST_POLL_MS = 25_000
/** Of one answer. */
const MOST_CLAIMS = 50
/** An outcome has a result of 2 MB at most, and what a reply needs to go on. */
const OUTCOME_BYTES = 24_000_000

const OF_A_CLAIM =
  'For the runner that holds the claim. Returns 400 `lease_lost` once the claim is over: the run ended, the task was cancelled, or another runner has it.'

export const runnerRoutes = defineRoutes({
  registerRunner: {
    method: 'POST',
    path: '/api/runners',
    summary: 'Register a runner',
    about:
      'A runner registers at each start. The first registration binds the API token to the runner name. Returns 400 `runner_name_taken` if another runner has the name, `token_bound` if the token belongs to another name, `runner_removed` if an admin removed the runner, and `runner_protocol` if service and runner are incompatible.',
    access: 'runner',
    body: RegisterRunnerBody,
    response: z.object({
      runner: RunnerSchema,
      registration: z.number().describe('Number that increases with each registration of the runner'),
      heartbeatMs: z
        .number()
        .describe('Longest interval between polls or renewals of a claim, in milliseconds'),
      mostBodyBytes: z
        .number()
        .optional()
        .describe(
          'Maximum size of an outcome in bytes, as a JSON string; absent if only the route limits it',
        ),
      protocol: z.number(),
      version: z.string().describe('Version of the service'),
      now: z.iso.datetime().describe('Time of the service, to correct the clock of the runner'),
    }),
  },
  claimTask: {
    method: 'POST',
    path: '/api/runners/{id}/claims',
    summary: 'Claim a task',
    about:
      'Responds as soon as the runner can take a task or one of its claims has ended, otherwise with 204 after `waitMs`. Returns 400 `runner_replaced` once another process has registered under the name.',
    access: 'runner',
    logLevel: 'debug',
    params: RunnerParams,
    body: z.object({
      waitMs: z.int().min(0).max(LONGEST_POLL_MS).default(LONGEST_POLL_MS),
      registration: z.int().min(1).optional(),
      most: z
        .int()
        .min(1)
        .max(MOST_CLAIMS)
        .default(1)
        .describe('Maximum number of claims to return, such as the free slots of the runner'),
      number: z
        .int()
        .min(1)
        .optional()
        .describe('Number of the poll within the registration. Ends earlier polls; a late poll does nothing'),
      takes: z
        .boolean()
        .default(true)
        .describe('Whether to take tasks; if false, only waits for claims to end'),
      running: z
        .array(ClaimKeySchema)
        .max(2_000)
        .default([])
        .describe('Claims that the runner holds. Other claims from its last polls are queued again'),
    }),
    alsoStatus: 204,
    response: z.object({
      claim: ClaimSchema.optional(),
      more: z.array(ClaimSchema).optional().describe('Further claims, up to `most`'),
      stop: z
        .array(ClaimKeySchema.extend({ reason: z.enum(['cancelled', 'lost']) }))
        .describe('Runs to stop because their claims are over'),
    }),
  },
  renewClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/renew',
    summary: 'Renew a claim',
    about: OF_A_CLAIM,
    access: 'runner',
    logLevel: 'debug',
    params: ClaimParams,
    body: Fenced.extend(spentFields),
    response: z.object({
      leaseMs: z.number(),
      policy: ClaimSchema.shape.policy,
      now: ClaimSchema.shape.now,
    }),
  },
  reportRun: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/events',
    summary: 'Report on a run',
    about: `Adds session events, progress and tool calls. Each has an id, so a repeated request adds nothing. ${OF_A_CLAIM}`,
    access: 'runner',
    logLevel: 'debug',
    params: ClaimParams,
    body: ReportBody,
    response: done,
  },
  pauseClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/pause',
    summary: 'Pause a claim',
    about: `Reports that the run waits for decisions and stays alive. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: PauseBody,
    response: done,
  },
  resumeClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/resume',
    summary: 'Resume a claim',
    about: `Reports that the run no longer waits. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: Fenced,
    response: done,
  },
  askApproval: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/approvals',
    summary: 'Request approval of a tool call',
    about: `Returns the decision about the call, and creates an approval request if there is none. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: RunnerApprovalBody,
    response: z.object({ answer: ApprovalAnswerSchema }),
  },
  approvalState: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/approvals/{approvalId}',
    summary: 'Get the state of an approval',
    about: `Returns the state of an approval that the run waits for. ${OF_A_CLAIM}`,
    access: 'runner',
    logLevel: 'debug',
    params: ClaimParams.extend({ approvalId: z.string().min(1).max(200) }),
    body: Fenced,
    response: z.object({ state: z.enum(['pending', 'decided', 'expired']) }),
  },
  guideRun: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/guidance',
    summary: 'Get memory for a task',
    about: `Returns what memory contains for the task of the claim. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: Fenced,
    response: GuidanceSchema,
  },
  recallForRun: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/memory',
    summary: 'Search memory for a run',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: Fenced.extend({ query: z.string().min(1).max(2_000) }),
    response: z.object({ chunks: z.array(FoundChunkSchema) }),
  },
  endClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/outcome',
    summary: 'Complete a claim',
    about: `Stores how the run ended. A repeated request returns \`lease_lost\` and changes nothing. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: Fenced.extend({ ...spentFields, end: RunEndSchema }),
    bodyLimit: OUTCOME_BYTES,
    response: done,
  },
  listRunners: {
    method: 'GET',
    path: '/api/runners',
    summary: 'List runners',
    about: 'Returns all runners, newest first.',
    access: 'session',
    response: z.object({ runners: z.array(RunnerSchema), total: z.number() }),
  },
  drainRunner: {
    method: 'POST',
    path: '/api/runners/{id}/drain',
    summary: 'Drain a runner',
    about:
      'A draining runner finishes its tasks and takes no more, even after it registers again. With `draining: false`, it takes tasks again; a removed runner can then register again.',
    access: 'admin',
    params: RunnerParams,
    body: z.object({ draining: z.boolean().default(true) }),
    response: z.object({ runner: RunnerSchema }),
  },
  removeRunner: {
    method: 'DELETE',
    path: '/api/runners/{id}',
    summary: 'Remove a runner',
    about:
      'Also revokes its API token. Its tasks are queued again when their claims expire, within `TASK_LEASE_MS`. A runner that uses `RUNNER_TOKEN` stays in the list as `removed` and is rejected until it has not tried to register for a day, or an admin sets `draining: false`.',
    access: 'admin',
    params: RunnerParams,
    response: z.object({ message: z.string() }),
  },
})
