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
  'For the runner that has the claim. 400 `lease_lost` once the task is not leased to it any more under this fencing token: its run has ended, it was cancelled, or another one runs it.'

export const runnerRoutes = defineRoutes({
  registerRunner: {
    method: 'POST',
    path: '/api/runners',
    summary: 'Register a runner, or the same one again after its restart',
    about:
      'The first registration binds the API token to the name of the runner. 400 `runner_name_taken` for the name of another one, 400 `token_bound` for a token of another name, 400 `runner_removed` after an admin has removed it, 400 `runner_protocol` where service and runner do not fit.',
    access: 'runner',
    body: RegisterRunnerBody,
    response: z.object({
      runner: RunnerSchema,
      registration: z.number().describe('Grows with each registration of this runner'),
      heartbeatMs: z.number().describe('A runner polls, or renews a claim, at least this often'),
      mostBodyBytes: z
        .number()
        .optional()
        .describe(
          'The most bytes of an outcome, as a JSON text in JSON; absent where its route alone limits it',
        ),
      protocol: z.number(),
      version: z.string().describe('Of the service'),
      now: z.iso.datetime().describe('The time of the service, by which a runner corrects its own'),
    }),
  },
  claimTask: {
    method: 'POST',
    path: '/api/runners/{id}/claims',
    summary: 'Wait for a task, and claim it',
    about:
      'Answers at once where a task waits that the runner may take, or one of its claims has ended; otherwise when there is one, or 204 after `waitMs`. 400 `runner_replaced` once another process has registered under the name.',
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
        .describe('The most claims of an answer: a runner takes as many as it has free slots'),
      number: z
        .int()
        .min(1)
        .optional()
        .describe('Of this poll, in its registration: an earlier one ends, one that comes late does nothing'),
      takes: z.boolean().default(true).describe('false only waits for the end of claims'),
      running: z
        .array(ClaimKeySchema)
        .max(2_000)
        .default([])
        .describe(
          'The claims that it has; of those that its last polls were answered, the others are queued again',
        ),
    }),
    alsoStatus: 204,
    response: z.object({
      claim: ClaimSchema.optional(),
      more: z.array(ClaimSchema).optional().describe('Further claims, where `most` allows them'),
      stop: z
        .array(ClaimKeySchema.extend({ reason: z.enum(['cancelled', 'lost']) }))
        .describe('Runs to stop: their claims are over'),
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
    summary: 'Add events of the agent session, progress, and records of tool calls',
    about: `Each has an id, so that a repeated request adds nothing. ${OF_A_CLAIM}`,
    access: 'runner',
    logLevel: 'debug',
    params: ClaimParams,
    body: ReportBody,
    response: done,
  },
  pauseClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/pause',
    summary: 'Say that a run waits for decisions while it lives on',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: PauseBody,
    response: done,
  },
  resumeClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/resume',
    summary: 'Say that the wait of a run is over',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: Fenced,
    response: done,
  },
  askApproval: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/approvals',
    summary: 'Read the decision about a tool call; creates the approval request if there is none',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: RunnerApprovalBody,
    response: z.object({ answer: ApprovalAnswerSchema }),
  },
  approvalState: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/approvals/{approvalId}',
    summary: 'The state of an approval that a run waits for',
    about: OF_A_CLAIM,
    access: 'runner',
    logLevel: 'debug',
    params: ClaimParams.extend({ approvalId: z.string().min(1).max(200) }),
    body: Fenced,
    response: z.object({ state: z.enum(['pending', 'decided', 'expired']) }),
  },
  guideRun: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/guidance',
    summary: 'What memory has for the task of a claim',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: Fenced,
    response: GuidanceSchema,
  },
  recallForRun: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/memory',
    summary: 'Search memory for the run of a claim',
    about: OF_A_CLAIM,
    access: 'runner',
    params: ClaimParams,
    body: Fenced.extend({ query: z.string().min(1).max(2_000) }),
    response: z.object({ chunks: z.array(FoundChunkSchema) }),
  },
  endClaim: {
    method: 'POST',
    path: '/api/runners/{id}/claims/{taskId}/outcome',
    summary: 'Write how the run of a claim ended',
    about: `A repeated request, and one whose claim is over, are \`lease_lost\`: what became of the task stands. ${OF_A_CLAIM}`,
    access: 'runner',
    params: ClaimParams,
    body: Fenced.extend({ ...spentFields, end: RunEndSchema }),
    bodyLimit: OUTCOME_BYTES,
    response: done,
  },
  listRunners: {
    method: 'GET',
    path: '/api/runners',
    summary: 'List runners, newest first',
    access: 'session',
    response: z.object({ runners: z.array(RunnerSchema), total: z.number() }),
  },
  drainRunner: {
    method: 'POST',
    path: '/api/runners/{id}/drain',
    summary: 'Drain a runner, or let it take tasks again',
    about:
      'What it runs goes on. A new registration of the runner does not end it. One that was removed may register again after `draining: false`.',
    access: 'admin',
    params: RunnerParams,
    body: z.object({ draining: z.boolean().default(true) }),
    response: z.object({ runner: RunnerSchema }),
  },
  removeRunner: {
    method: 'DELETE',
    path: '/api/runners/{id}',
    summary: 'Remove a runner, and revoke its API token',
    about:
      'Its tasks are queued again once their claims run out, within `TASK_LEASE_MS`. One with the token of RUNNER_TOKEN stays in the list as `removed`, and is refused under its name, until it has not tried to register for a day, or an admin lets it take tasks again.',
    access: 'admin',
    params: RunnerParams,
    response: z.object({ message: z.string() }),
  },
})
