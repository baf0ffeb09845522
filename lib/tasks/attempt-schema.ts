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
    output: z.string().describe('At most its first 100,000 characters'),
    diff: z
      .string()
      .optional()
      .describe('Of a diff beyond 400 kB the first whole lines, and a last line that says so'),
    filesChanged: z.array(ChangedFileSchema).optional().describe('At most 1,000'),
    usage: TokenUsageSchema.optional(),
  })
  .meta({ id: 'AttemptResult' })
export type KeptResult = z.output<typeof KeptResultSchema>

export const AttemptSchema = z
  .object({
    id: z.string().meta({ examples: ['evt_01KF0Q8Y3V5W7X9Z'] }),
    attempt: z.number().describe('From 1; it begins anew when a failed task is queued again'),
    status: z
      .enum(['running', 'waiting', 'completed', 'failed', 'cancelled', 'lost', 'interrupted', 'refused'])
      .describe(
        '`waiting` for an approval; `lost` with its worker; not counted: `interrupted` by a stop of the service, `refused` before any work',
      ),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    waitingMs: z.number().optional().describe('Time spent in waits for approvals that are over'),
    runner: z.string().optional(),
    error: TaskErrorSchema.optional().describe('Why it ended without success'),
    cost: CostSchema.optional().describe('Absent where no model was called, or nothing is known of it'),
  })
  .meta({ id: 'Attempt' })
export type Attempt = z.output<typeof AttemptSchema>

export const ReadAttemptSchema = AttemptSchema.extend({
  result: KeptResultSchema.optional().describe(
    'What it left; absent where it left nothing, or that is not kept',
  ),
}).meta({ id: 'ReadAttempt' })
