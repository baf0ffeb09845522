import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer, pageQuery } from '../core/page.ts'
import { securityModes } from '../core/security-mode.ts'
import { freeText, nameText, shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { ModelUsageSchema } from '../tasks/schema.ts'
import {
  ChatMessageSchema,
  CompactionSchema,
  ContextSchema,
  ConversationSchema,
  ConversationSummarySchema,
  FallbackSchema,
  LONGEST_CONTENT,
  PendingApprovalSchema,
} from '../turns/schema.ts'

const id = nameText(200)
const title = shownText(200).meta({ examples: ['Release questions'] })
const params = idParams('conv')
const ticketId = z
  .string()
  .max(520)
  .regex(/^[a-z]+:\S(?:.*\S)?$/, 'must have the form <provider>:<ticket id>')
  .describe('Ticket as `<provider>:<sourceId>`, such as `codehost:acme/web#42`')
const content = freeText(LONGEST_CONTENT).meta({ examples: ['What is a lease?'] })
const model = nameText(200)
  .optional()
  .describe('Model, or `provider/model`; the default model of the provider if not set')
const provider = nameText(50).optional()
const temperature = z.number().min(0).max(2).optional()
const maxTokens = z.int().min(1).optional().describe('Maximum length of the answer, in tokens')
const systemPrompt = freeText(LONGEST_CONTENT).optional()

/** The most messages of one request; a conversation stores them in one write. */
const MOST_MESSAGES = 1_000
const MOST_KEPT = 50

const Message = z.object({ role: z.enum(['user', 'assistant', 'system']), content })

export const CompletionBody = z
  .object({
    messages: z
      .array(Message)
      .min(1)
      .max(MOST_MESSAGES)
      .refine((messages) => messages.some(({ role }) => role === 'user'), 'must have a user message'),
    model,
    provider,
    systemPrompt,
    temperature,
    maxTokens,
    stream: z.boolean().default(false).describe('Stream the answer as server-sent events'),
    conversationId: id.optional(),
    taskId: id.optional(),
    ticketId: ticketId.optional(),
  })
  .refine(({ conversationId, messages }) => conversationId === undefined || messages.length <= MOST_KEPT, {
    path: ['messages'],
    message: `must have at most ${MOST_KEPT} messages when conversationId is set`,
  })
  .meta({ id: 'ChatCompletion' })
export type CompletionBody = z.output<typeof CompletionBody>

export const QuickBody = z.object({
  prompt: content,
  model,
  provider,
  systemPrompt,
  temperature,
  maxTokens,
})
export type QuickBody = z.output<typeof QuickBody>

const CompletionAnswer = z.object({
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  fallbackFrom: FallbackSchema,
  message: z.object({ role: z.literal('assistant'), content: z.string() }),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'other']),
  usage: ModelUsageSchema,
  duration: z.number().describe('Duration in milliseconds'),
  conversationId: z.string().optional(),
  compaction: CompactionSchema.optional(),
})

const CreateConversation = z.object({
  title: title.optional(),
  systemPrompt,
  taskId: id.optional(),
  ticketId: ticketId.optional(),
})

const ListConversations = z.object({ ...pageQuery, taskId: id.optional(), ticketId: ticketId.optional() })

const MessagesQuery = PageQuery.omit({ offset: true })

const SendBody = z.object({ content, model, provider, temperature })
export type SendBody = z.output<typeof SendBody>
const WithToolsBody = SendBody.extend({
  securityMode: z
    .enum(securityModes)
    .optional()
    .meta({ examples: ['ask'] }),
})
export type WithToolsBody = z.output<typeof WithToolsBody>

const TurnAnswer = z.object({
  userMessage: ChatMessageSchema,
  assistantMessage: ChatMessageSchema,
  usage: ModelUsageSchema,
  compaction: CompactionSchema.optional(),
  fallbackFrom: FallbackSchema,
})

export const conversationRoutes = defineRoutes({
  listConversations: {
    method: 'GET',
    path: '/api/chat/conversations',
    summary: 'List your conversations',
    about: 'Newest first.',
    access: 'session',
    query: ListConversations,
    response: z.object({ conversations: z.array(ConversationSummarySchema), ...pageAnswer }),
  },
  createConversation: {
    method: 'POST',
    path: '/api/chat/conversations',
    summary: 'Create a conversation',
    about:
      'All fields are optional; without `title`, the first message becomes the title. Returns 404 if `taskId` does not exist.',
    access: 'session',
    body: CreateConversation,
    status: 201,
    response: z.object({ conversation: ConversationSchema }),
  },
  getConversation: {
    method: 'GET',
    path: '/api/chat/conversations/{id}',
    summary: 'Get a conversation',
    about: 'Includes its newest messages, in ascending order; use the cursor for older ones.',
    access: 'session',
    params,
    query: MessagesQuery,
    response: z.object({
      conversation: ConversationSchema,
      messages: z.array(ChatMessageSchema),
      ...pageAnswer,
    }),
  },
  renameConversation: {
    method: 'PATCH',
    path: '/api/chat/conversations/{id}',
    summary: 'Rename a conversation',
    access: 'session',
    params,
    body: z.object({ title }),
    response: z.object({ conversation: ConversationSchema }),
  },
  removeConversation: {
    method: 'DELETE',
    path: '/api/chat/conversations/{id}',
    summary: 'Delete a conversation',
    about: 'Cancels a running turn, and deletes the sessions, approvals and files of the conversation.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  cancelTurn: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/cancel',
    summary: 'Cancel the current turn of a conversation',
    about: 'Also cancels a turn that is waiting for approval. Messages and tool calls so far are kept.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
})

/** Routes that call models; they run where the models' keys are. */
export const modelRoutes = defineRoutes({
  createCompletion: {
    method: 'POST',
    path: '/api/chat/completions',
    summary: 'Create a completion',
    about:
      'Returns the answer of a model to the messages; with `stream`, as server-sent events. With `conversationId`, the history of the conversation comes first, and the exchange is saved.',
    access: 'session',
    limited: true,
    body: CompletionBody,
    response: CompletionAnswer,
    alsoProduces: 'text/event-stream',
  },
  quickChat: {
    method: 'POST',
    path: '/api/chat/quick',
    summary: 'Create a completion from a single prompt',
    about: 'Nothing is stored.',
    access: 'session',
    limited: true,
    body: QuickBody,
    response: z.object({
      content: z.string(),
      model: z.string(),
      provider: z.string(),
      fallbackFrom: FallbackSchema,
      usage: ModelUsageSchema,
    }),
  },
  smartChat: {
    method: 'POST',
    path: '/api/chat/smart',
    summary: 'Create a completion with context',
    about:
      'Like a completion, with the task or ticket and matching memory added. `context` lists what the model received.',
    access: 'session',
    limited: true,
    body: CompletionBody,
    response: CompletionAnswer.extend({ context: ContextSchema }),
    alsoProduces: 'text/event-stream',
  },
  listProviders: {
    method: 'GET',
    path: '/api/chat/providers',
    summary: 'List model providers',
    about: 'Shows which providers are configured, and whether their last call succeeded.',
    access: 'session',
    response: z.object({
      default: z
        .string()
        .meta({ description: 'Provider used if a request names none', examples: ['anthropic'] }),
      providers: z.array(
        z.object({
          type: z.string(),
          name: z.string(),
          configured: z.boolean(),
          healthy: z.boolean(),
          message: z.string().optional(),
        }),
      ),
    }),
  },
  listModels: {
    method: 'GET',
    path: '/api/chat/models',
    summary: 'List models',
    about:
      'Returns the models that configured providers list, or those of one provider. Unlisted models can also be used.',
    access: 'session',
    query: z.object({ provider }),
    response: z.object({
      models: z.array(z.object({ id: z.string(), provider: z.string(), name: z.string() })),
    }),
  },
  sendMessage: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/messages',
    summary: 'Send a message',
    about: 'Returns the answer of the model, without tools. Both messages are saved.',
    access: 'session',
    limited: true,
    params,
    body: SendBody,
    response: TurnAnswer,
  },
  sendMessageWithTools: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/messages/with-tools',
    summary: 'Send a message with tools',
    about:
      'The model answers with tools, in up to 5 roundtrips. Tools work in the folder of the conversation. Calls that need approval are returned in `pendingApprovals`.',
    access: 'session',
    limited: true,
    params,
    body: WithToolsBody,
    response: TurnAnswer.extend({
      pendingApprovals: z
        .array(PendingApprovalSchema)
        .optional()
        .describe('Calls that need a decision; the turn continues afterwards'),
    }),
  },
})

export const chatRoutes = { ...conversationRoutes, ...modelRoutes }
