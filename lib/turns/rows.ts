import { hash } from 'node:crypto'
import { collection, countRows } from '../core/collection.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import { LOST_TEXT } from '../core/truncated.ts'
import type { ModelMessage } from '../ports/model.ts'
import type { ChatMessage, ChatToolCall, Conversation } from './schema.ts'

/**
 * A conversation. Every write of its messages is one commit with this row, so that none is added to a deleted
 * conversation; `messageCount` is the number of the next message. The lease of a turn is `turnToken` until `turnUntil`;
 * `turnCancelled` says that this turn has to end. A turn that waits for approval has `waitingUntil` instead. Times are
 * epoch milliseconds. The summary replaces the first `summarized` messages. `filesVersion` is the version of the
 * workspace snapshot.
 */
export type ConversationRow = Conversation & {
  userId: string
  untitled?: true
  /** The keys of the lists by user and task, and by user and ticket. */
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
/** A key for a ticket's name, which may be longer than a key. */
export const ticketKey = (userId: string, ticketId: string): string =>
  `${userId}:ticket:${hash('sha256', ticketId)}`

/** The counter of a list: of a user, or of one of the keys above. */
export const listCounter = (of: string): string => `conversations:${of}`

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
    [userId, ofTask, ofTicket].flatMap((of) => (of === undefined ? [] : [listCounter(of)])),
  ),
  recount: { index: 'ofUser', ofUser: listCounter },
})

/** A message. `number` is its index in the conversation as ten digits, so that texts sort by number. */
export type MessageRow = ChatMessage & { number: string }

export const numberText = (number: number): string => String(number).padStart(10, '0')

export const chatMessages = collection<MessageRow>({
  name: 'chatMessages',
  within: 'conversationId',
  key: 'number',
  indexes: { ofConversation: { within: 'conversationId', by: 'number' } },
  detail: ['content', 'toolCalls'],
  placeholders: { content: LOST_TEXT },
})

/** A deleted conversation whose rows are being removed; a running turn may add some until `busyUntil`. */
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

type TurnOptions = {
  userId: string
  securityMode: SecurityMode
  provider: string
  model: string
  temperature?: number
}

/**
 * A turn that waits for approvals: the prompt with the calls that have no result yet, and the number of the message for
 * its answer. `wakes` grows with each decision, so that a decision which comes while the turn is being stored is not
 * lost.
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
  placeholders: { messages: [], toolCalls: [] },
})

/** The files of a workspace after its last turn; without `archive` they were too large to store. */
type WorkspaceSnapshotRow = { conversationId: string; archive?: string; createdAt: string }

export const workspaceSnapshots = collection<WorkspaceSnapshotRow>({
  name: 'workspaceSnapshots',
  key: 'conversationId',
  indexes: {},
  detail: ['archive'],
})
