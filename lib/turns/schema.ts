import * as z from 'zod'
import { TruncatedSchema } from '../core/truncated.ts'
import { ModelUsageSchema } from '../tasks/schema.ts'

export const LONGEST_CONTENT = 100_000

const timestamp = z.iso.datetime()

export const FallbackSchema = z
  .string()
  .optional()
  .describe('Provider that failed, if a fallback provider answered')

export const ConversationSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    systemPrompt: z.string().optional(),
    taskId: z.string().optional(),
    ticketId: z.string().optional(),
    messageCount: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
    truncated: TruncatedSchema,
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.output<typeof ConversationSchema>

/** Lists leave out system prompts: each may be as long as a message. */
export const ConversationSummarySchema = ConversationSchema.omit({ systemPrompt: true, truncated: true })

const ChatToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
  result: z.string().optional(),
  status: z.enum(['success', 'error', 'pending']),
  duration: z.number().describe('Duration in milliseconds'),
  step: z.number().describe('Step of the model within the turn, from 1'),
  approvalId: z.string().optional().describe('Approval that a `pending` call is waiting for'),
})
export type ChatToolCall = z.output<typeof ChatToolCallSchema>

export const AnswerErrorSchema = z.object({ code: z.string(), message: z.string() })
export type AnswerError = z.output<typeof AnswerErrorSchema>

export const ChatMessageSchema = z
  .object({
    id: z.string(),
    conversationId: z.string(),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    model: z.string().optional(),
    provider: z.string().optional(),
    fallbackFrom: FallbackSchema,
    usage: ModelUsageSchema.optional(),
    toolCalls: z.array(ChatToolCallSchema).optional(),
    error: AnswerErrorSchema.optional().describe(
      'Why the answer is incomplete; text and calls so far are stored',
    ),
    notice: z
      .string()
      .optional()
      .describe('Note from the service, for example that files could not be stored'),
    sessionId: z.string().optional().describe('Agent session of an agentic answer'),
    createdAt: timestamp,
    truncated: TruncatedSchema,
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.output<typeof ChatMessageSchema>

export const CompactionSchema = z.object({
  originalCount: z.number().describe('Number of messages before compaction'),
  compactedCount: z.number().describe('Number of messages after compaction; a summary counts as one'),
  tokensReduced: z.number(),
  summarized: z
    .boolean()
    .describe(
      'Whether older messages were summarized; if false, the summary failed and the oldest messages were dropped',
    ),
})
export type Compaction = z.output<typeof CompactionSchema>

export const PendingApprovalSchema = z.object({
  id: z.string(),
  toolCallId: z.string(),
  toolName: z.string().meta({ examples: ['run_command'] }),
  params: z.unknown(),
})

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
