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
  .regex(/^[a-z]+:\S(?:.*\S)?$/, 'must be <provider>:<id of the ticket there>')
  .describe('`<provider>:<sourceId>`, such as `codehost:acme/web#42`')
const content = freeText(LONGEST_CONTENT).meta({ examples: ['What is a lease?'] })
const model = nameText(200).optional().describe('`provider/model` names both')
const provider = nameText(50).optional()
const temperature = z.number().min(0).max(2).optional()
const maxTokens = z.int().min(1).optional().describe('Of the answer')
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
      .refine((messages) => messages.some(({ role }) => role === 'user'), 'must have a message of a user'),
    model,
    provider,
    systemPrompt,
    temperature,
    maxTokens,
    stream: z.boolean().default(false).describe('Answer with server-sent events'),
    conversationId: id.optional(),
    taskId: id.optional(),
    ticketId: ticketId.optional(),
  })
  .refine(({ conversationId, messages }) => conversationId === undefined || messages.length <= MOST_KEPT, {
    path: ['messages'],
    message: `has more than ${MOST_KEPT} messages, the most that one request adds to a conversation`,
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
  duration: z.number().describe('Milliseconds'),
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
    summary: 'List your conversations, newest first',
    access: 'session',
    query: ListConversations,
    response: z.object({ conversations: z.array(ConversationSummarySchema), ...pageAnswer }),
  },
  createConversation: {
    method: 'POST',
    path: '/api/chat/conversations',
    summary: 'Create a conversation',
    about:
      'All fields are optional: the title comes from the first message. A `taskId` that does not exist is 404.',
    access: 'session',
    body: CreateConversation,
    status: 201,
    response: z.object({ conversation: ConversationSchema }),
  },
  getConversation: {
    method: 'GET',
    path: '/api/chat/conversations/{id}',
    summary: 'Read a conversation of yours with its newest messages; the cursor leads to older ones',
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
    summary: 'Delete a conversation; a running turn is cancelled',
    about: 'Its sessions, approvals and files are deleted with it.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  cancelTurn: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/cancel',
    summary: 'Cancel the turn of a conversation, including one that waits for approval',
    about: 'Messages and tool calls so far are kept.',
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
    summary: 'Let a model answer messages; with `stream` as server-sent events',
    about: 'With `conversationId` its history comes first, and the exchange is saved.',
    access: 'session',
    limited: true,
    body: CompletionBody,
    response: CompletionAnswer,
    alsoProduces: 'text/event-stream',
  },
  quickChat: {
    method: 'POST',
    path: '/api/chat/quick',
    summary: 'Let a model answer one prompt',
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
    summary: 'As a completion, with the task or ticket and what memory has on the matter',
    about: '`context` says what the model was given.',
    access: 'session',
    limited: true,
    body: CompletionBody,
    response: CompletionAnswer.extend({ context: ContextSchema }),
    alsoProduces: 'text/event-stream',
  },
  listProviders: {
    method: 'GET',
    path: '/api/chat/providers',
    summary: 'List model providers and their health',
    about: 'Which are configured, and whether their last call succeeded.',
    access: 'session',
    response: z.object({
      default: z.string().meta({ description: 'Used when none is named', examples: ['anthropic'] }),
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
    summary: 'List the models of one configured provider, or of all',
    about: 'As listed by the providers; models that are not listed can be used too.',
    access: 'session',
    query: z.object({ provider }),
    response: z.object({
      models: z.array(z.object({ id: z.string(), provider: z.string(), name: z.string() })),
    }),
  },
  sendMessage: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/messages',
    summary: 'Send a message in a conversation and get the answer of a model',
    about: 'Without tools. Both messages are saved.',
    access: 'session',
    limited: true,
    params,
    body: SendBody,
    response: TurnAnswer,
  },
  sendMessageWithTools: {
    method: 'POST',
    path: '/api/chat/conversations/{id}/messages/with-tools',
    summary:
      'Send a message that a model answers with tools, in up to 5 roundtrips; calls that need approval are listed',
    about:
      'Tools work in the folder of the conversation. What the security mode does not allow waits for approval.',
    access: 'session',
    limited: true,
    params,
    body: WithToolsBody,
    response: TurnAnswer.extend({
      pendingApprovals: z
        .array(PendingApprovalSchema)
        .optional()
        .describe('Calls that wait for a decision; the turn continues after it'),
    }),
  },
})

export const chatRoutes = { ...conversationRoutes, ...modelRoutes }
