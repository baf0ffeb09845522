import * as z from 'zod'
import { freeText } from '../core/shown-text.ts'
import { CostSchema } from '../tasks/schema.ts'
import { AnswerErrorSchema, LONGEST_CONTENT } from '../turns/schema.ts'

const SESSION_STATES = ['created', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type SessionState = (typeof SESSION_STATES)[number]
export const isOver = (status: SessionState): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

const timestamp = z.iso.datetime()

/** A run of a model with tools: a turn of a conversation, or the work of the coding agent on a task. */
export const AgentSessionSchema = z
  .object({
    id: z.string(),
    status: z.enum(SESSION_STATES),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    userId: z.string(),
    provider: z.string(),
    model: z.string(),
    createdAt: timestamp,
    endedAt: timestamp.optional(),
    error: AnswerErrorSchema.optional(),
    cost: CostSchema.optional().describe('Cost of the session; for a task, of all its attempts'),
  })
  .meta({ id: 'AgentSession' })
export type AgentSession = z.output<typeof AgentSessionSchema>

export const EFFORTS = ['low', 'medium', 'high', 'max'] as const

export const AgenticRequestSchema = z
  .object({
    content: freeText(LONGEST_CONTENT).meta({ examples: ['Which files are there?'] }),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Model, or `provider/model`; the default model of the provider if not set'),
    provider: z.string().min(1).max(50).optional(),
    temperature: z.number().min(0).max(2).optional(),
    showThinking: z.boolean().default(true).describe('Stream the reasoning of the model'),
    maxSteps: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe('Maximum steps; 10, 25, 50 or 100 by default, depending on `effort`'),
    maxBudget: z.int().min(1_000).optional().describe('Token budget of the turn; unlimited by default'),
    effort: z
      .enum(EFFORTS)
      .default('medium')
      .describe('Reasoning effort of the model, and the default of `maxSteps`'),
  })
  .meta({ id: 'AgenticRequest' })
export type AgenticRequest = z.output<typeof AgenticRequestSchema>

/** An event of a session. Ids are the number of the run, then of the event, so they sort in that order. */
export type SessionEvent = {
  readonly id: string
  readonly type: string
  readonly data: object
  readonly timestamp: number
}

/** Adds an event to a session. Never throws. */
export type EmitEvent = (type: string, data: object) => void
