import * as z from 'zod'
import { TruncatedSchema } from '../core/truncated.ts'
import type { LoopEvent } from '../ports/tool.ts'
import { TokenUsageSchema } from '../tasks/schema.ts'

/** The most characters of one message. */
export const LONGEST_CONTENT = 100_000

const timestamp = z.iso.datetime()

export const ConversationSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    systemPrompt: z.string().optional(),
    taskId: z.string().optional(),
    ticketId: z.string().optional(),
    /** The number of its messages. */
    messageCount: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
    truncated: TruncatedSchema,
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.output<typeof ConversationSchema>

/** Lists leave out system prompts: each may be as long as a message. */
export const ConversationSummarySchema = ConversationSchema.omit({ systemPrompt: true, truncated: true })

/** A `pending` call waits for the approval `approvalId`. `step` counts the model's steps in the turn, from 1. */
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

/**
 * A call that was made or refused, as conversations store it. `before` is the number of steps in earlier loops of the
 * turn.
 */
export const finishedCall = (
  { call, outcome, step }: Extract<LoopEvent, { type: 'tool:result' }>,
  before = 0,
): ChatToolCall => ({
  id: call.id,
  name: call.name,
  arguments: call.arguments,
  result: outcome.content,
  status: outcome.failed ? 'error' : 'success',
  duration: Math.round(outcome.durationMs),
  step: before + step,
})

/**
 * `error` on an answer says why it is incomplete; its texts and calls so far are stored. `notice` is a remark of the
 * service, such as that files could not be stored.
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
    truncated: TruncatedSchema,
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.output<typeof ChatMessageSchema>

/**
 * The compaction that fits a conversation into the model's window: the prompt has `compactedCount` of `originalCount`
 * messages, where a summary counts as one. `summarized` is false when the summary failed and the oldest messages were
 * left out.
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

/** The context that a context-aware answer was given. */
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
