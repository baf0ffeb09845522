import * as z from 'zod'
import { CostSchema, TaskErrorSchema, TokenUsageSchema } from './schema.ts'

const LONGEST_PATH = 4_096

export const ChangedFileSchema = z.object({
  path: z.string().max(LONGEST_PATH),
  additions: z.number(),
  deletions: z.number(),
})

const KeptResultSchema = z
  .object({
    output: z.string().describe('Output, truncated to 100,000 characters'),
    diff: z
      .string()
      .optional()
      .describe('Diff of the changes. A diff over 400 kB is cut after a whole line and ends with a note'),
    filesChanged: z.array(ChangedFileSchema).optional().describe('Changed files, at most 1,000'),
    usage: TokenUsageSchema.optional(),
  })
  .meta({ id: 'AttemptResult' })
export type KeptResult = z.output<typeof KeptResultSchema>

export const AttemptSchema = z
  .object({
    id: z.string().meta({ examples: ['evt_01KF0Q8Y3V5W7X9Z'] }),
    attempt: z
      .number()
      .describe('Number of the attempt, from 1. Restarts when a failed task is queued again'),
    status: z
      .enum(['running', 'waiting', 'completed', 'failed', 'cancelled', 'lost', 'interrupted', 'refused'])
      .describe(
        '`waiting`: waits for approval. `lost`: its worker disappeared. `interrupted`: the service stopped. `refused`: rejected before any work. The last two do not count as attempts',
      ),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    waitingMs: z.number().optional().describe('Time spent in past waits for approvals, in milliseconds'),
    runner: z.string().optional(),
    error: TaskErrorSchema.optional().describe('Why the attempt did not succeed'),
    cost: CostSchema.optional().describe(
      'Cost of the attempt; absent if no model was called or the cost is unknown',
    ),
  })
  .meta({ id: 'Attempt' })
export type Attempt = z.output<typeof AttemptSchema>

export const ReadAttemptSchema = AttemptSchema.extend({
  result: KeptResultSchema.optional().describe(
    'Result of the attempt; absent if there is none or it is no longer stored',
  ),
}).meta({ id: 'ReadAttempt' })
