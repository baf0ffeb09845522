import * as z from 'zod'
import type { LoopEvent } from '../ports/tool.ts'
import { TokenUsageSchema } from '../tasks/schema.ts'

/** Characters of one message. */
export const LONGEST_CONTENT = 100_000

const timestamp = z.iso.datetime()

export const ConversationSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    systemPrompt: z.string().optional(),
    taskId: z.string().optional(),
    ticketId: z.string().optional(),
    /** How many messages it has. */
    messageCount: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.output<typeof ConversationSchema>

/** A list shows no system prompts: each may be as long as a message. */
export const ConversationSummarySchema = ConversationSchema.omit({ systemPrompt: true })

/** `pending` waits for the approval of that id. `step` counts the model's steps of the turn, from 1. */
const ChatToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
  result: z.string().optional(),
  status: z.enum(['success', 'error', 'pending']),
  /** Milliseconds. */
  duration: z.number(),
  step: z.number(),
  approvalId: z.string().optional(),
})
export type ChatToolCall = z.output<typeof ChatToolCallSchema>

/** A call that was made or refused, as conversations keep it. `before` is how many steps the turn had before this loop. */
export const finishedCall = (
  { call, outcome, step }: Extract<LoopEvent, { type: 'tool:result' }>,
  before = 0,
): ChatToolCall => ({
  ...{ id: call.id, name: call.name, arguments: call.arguments, result: outcome.content },
  status: outcome.failed ? 'error' : 'success',
  duration: Math.round(outcome.durationMs),
  step: before + step,
})

/**
 * `error` on an answer says why it is not whole: what was said and done until then is kept. `notice` is what the service
 * has to add, such as files that could not be kept.
 */
export const ChatMessageSchema = z
  .object({
    id: z.string(),
    conversationId: z.string(),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    model: z.string().optional(),
    provider: z.string().optional(),
    fallbackFrom: z.string().optional(),
    usage: TokenUsageSchema.optional(),
    toolCalls: z.array(ChatToolCallSchema).optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    notice: z.string().optional(),
    sessionId: z
      .string()
      .optional()
      .meta({ description: 'The agent session that an agentic answer was given in' }),
    createdAt: timestamp,
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.output<typeof ChatMessageSchema>

/**
 * What was done so that a conversation fits the model: of `originalCount` messages the prompt has `compactedCount`, a
 * summary counted as one. `summarized` is false where no summary could be made, and the oldest were left out instead.
 */
export const CompactionSchema = z.object({
  originalCount: z.number(),
  compactedCount: z.number(),
  tokensReduced: z.number(),
  summarized: z.boolean(),
})
export type Compaction = z.output<typeof CompactionSchema>

export const PendingApprovalSchema = z.object({
  id: z.string(),
  toolCallId: z.string(),
  toolName: z.string(),
  params: z.unknown(),
})

/** What a context-aware answer was given to know. */
export const ContextSchema = z.object({
  task: z.object({ id: z.string(), title: z.string(), status: z.string() }).optional(),
  ticketId: z.string().optional(),
  conversationId: z.string().optional(),
  memory: z.array(
    z.object({
      path: z.string(),
      startLine: z.number(),
      endLine: z.number(),
      heading: z.string().optional(),
    }),
  ),
})
export type AnswerContext = z.output<typeof ContextSchema>
