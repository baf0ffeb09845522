import { hash } from 'node:crypto'
import { collection, countRows } from '../core/collection.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { ModelMessage } from '../ports/model.ts'
import type { ChatMessage, ChatToolCall, Conversation } from './schema.ts'

/**
 * A conversation. Every write of its messages is one commit with this row, so that none is added to a conversation that is
 * gone, and `messageCount` is the number of the next one. Whose turn it is, is a lease: `turnToken` until `turnUntil`;
 * `turnCancelled` says that this turn is to end. One that waits for approval has `waitingUntil` instead. Times are epoch
 * milliseconds. The summary stands for the first `summarized` messages. `filesVersion` names what the workspace snapshot holds.
 */
export type ConversationRow = Conversation & {
  userId: string
  untitled?: true
  /** Of user and task, and of user and ticket, for the lists of those. */
  ofTask?: string
  ofTicket?: string
  summary?: string
  summarized: number
  turnToken?: string
  turnUntil?: number
  turnCancelled?: true
  waitingUntil?: number
  filesVersion?: string
}

export const taskKey = (userId: string, taskId: string): string => `${userId}:task:${taskId}`
/** Of a ticket's name, which may be longer than a key. */
export const ticketKey = (userId: string, ticketId: string): string =>
  `${userId}:ticket:${hash('sha256', ticketId)}`

/** The counter of a list: of a user, or of one of the keys above. */
export const listCounter = (of: string): string => `conversations:${of}`
export const LISTED = 'all'

export const conversations = collection<ConversationRow, 'systemPrompt' | 'summary'>({
  name: 'conversations',
  key: 'id',
  indexes: {
    ofUser: { within: 'userId', by: 'createdAt' },
    ofTask: { within: 'ofTask', by: 'createdAt' },
    ofTicket: { within: 'ofTicket', by: 'createdAt' },
  },
  detail: ['systemPrompt', 'summary'],
  summary: [
    ...(['id', 'userId', 'title', 'untitled', 'taskId', 'ticketId', 'ofTask', 'ofTicket'] as const),
    ...(['messageCount', 'createdAt', 'updatedAt', 'summarized'] as const),
    ...(['turnToken', 'turnUntil', 'turnCancelled', 'waitingUntil', 'filesVersion'] as const),
  ],
  counts: countRows(({ userId, ofTask, ofTicket }) =>
    [userId, ofTask, ofTicket].flatMap((of) =>
      of === undefined ? [] : [{ counter: listCounter(of), member: LISTED }],
    ),
  ),
  recount: { index: 'ofUser', ofUser: listCounter },
})

/** A message. `number` is its place in the conversation, as text of ten digits, so that texts sort as numbers do. */
export type MessageRow = ChatMessage & { number: string }

export const numberText = (number: number): string => String(number).padStart(10, '0')

export const chatMessages = collection<MessageRow>({
  name: 'chatMessages',
  within: 'conversationId',
  key: 'number',
  indexes: { ofConversation: { within: 'conversationId', by: 'number' } },
  detail: ['content', 'toolCalls'],
})

/**
 * A conversation that was deleted: what belongs to it is removed in the background, and then this row. A turn that was
 * under way may still work until `busyUntil` (epoch milliseconds).
 */
export type RemovalRow = {
  id: string
  userId: string
  space: string
  requestedAt: string
  busyUntil?: number
}
export const REMOVALS = 'all'

export const conversationRemovals = collection<RemovalRow>({
  name: 'conversationRemovals',
  within: 'space',
  key: 'id',
  indexes: { ofSpace: { within: 'space', by: 'id' } },
})

/** How a turn with tools goes on. */
export type TurnOptions = {
  userId: string
  securityMode: SecurityMode
  provider: string
  model: string
  temperature?: number
}

/**
 * A turn that waits for approvals, as it goes on: the prompt with the calls that have no result yet, and the number of the
 * message that its answer is. `wakes` grows with each decision, so that one that comes while the turn is being stored is
 * not lost.
 */
export type ChatTurnRow = {
  conversationId: string
  answer: string
  wakes: number
  options: TurnOptions
  steps: number
  usage: TokenUsage
  messages: readonly ModelMessage[]
  toolCalls: readonly ChatToolCall[]
  createdAt: string
}

export const chatTurns = collection<ChatTurnRow>({
  name: 'chatTurns',
  key: 'conversationId',
  indexes: {},
  detail: ['messages', 'toolCalls'],
})

/**
 * The files of a conversation's workspace as its last turn left them, where turns go on in processes that share no disk.
 * `archive` is absent where they were too much to be kept.
 */
export type WorkspaceSnapshotRow = { conversationId: string; archive?: string; createdAt: string }

export const workspaceSnapshots = collection<WorkspaceSnapshotRow>({
  name: 'workspaceSnapshots',
  key: 'conversationId',
  indexes: {},
  detail: ['archive'],
})
