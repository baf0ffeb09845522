import { fitting } from '../core/answer-size.ts'
import { readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { missing } from '../core/errors.ts'
import { countedPage, type PageQuery, pageFacts, pageRange } from '../core/page.ts'
import type { Actor, Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { truncatedIn } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Page, Store } from '../ports/store.ts'
import { toMessage } from './messages.ts'
import {
  type ConversationRow,
  chatMessages,
  conversations,
  listCounter,
  type MessageRow,
  taskKey,
  ticketKey,
} from './rows.ts'
import type { Conversation } from './schema.ts'

/** The title of a conversation until its first message gives it one. */
const UNTITLED = 'New conversation'

type Subject = Pick<Conversation, 'taskId' | 'ticketId'>
type NewConversation = Pick<Conversation, 'systemPrompt'> & Subject & { title?: string | undefined }

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  taskExists: (id: string) => Promise<boolean>
}

/** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
export const createCheckOwnConversation =
  ({ store }: { store: Pick<Store, 'get'> }) =>
  async ({ userId }: Actor, id: string): Promise<void> => {
    if ((await store.get(conversations, id))?.userId !== userId) throw missing('Conversation')
  }

export type CheckOwnConversation = ReturnType<typeof createCheckOwnConversation>

export type Conversations = ReturnType<typeof createConversations>

/** Conversations belong to their user; for other users they do not exist. */
export const createConversations = ({ store, clock, ids, taskExists }: Needs) => {
  /** The conversation with its summary. Throws Problem `missing` for one of another user. */
  const own = async ({ userId }: Actor, id: string): Promise<ConversationRow> => {
    const row = await store.get(conversations, id, true)
    if (row?.userId !== userId) throw missing('Conversation')
    return row
  }

  /** Throws Problem `missing` for a task that does not exist. A ticket is read when a message needs it. */
  const create = async ({ userId }: Principal, given: NewConversation): Promise<Conversation> => {
    const { title, systemPrompt, taskId, ticketId } = given
    if (taskId !== undefined && !(await taskExists(taskId))) throw missing('Task')
    const now = iso(clock.now())
    const row: ConversationRow = {
      id: ids.next('conv'),
      userId,
      title: title ?? UNTITLED,
      ...(title === undefined ? { untitled: true as const } : {}),
      ...definedFields({ systemPrompt }),
      ...(taskId === undefined ? {} : { taskId, ofTask: taskKey(userId, taskId) }),
      ...(ticketId === undefined ? {} : { ticketId, ofTicket: ticketKey(userId, ticketId) }),
      messageCount: 0,
      summarized: 0,
      createdAt: now,
      updatedAt: now,
    }
    await store.commit<ConversationRow>({ insert: conversations, row })
    return toConversation(row)
  }

  /** From a counter that may lag by 2 s; a filter by task and ticket together counts rows. */
  const countListed = (of: string, selection: Parameters<typeof store.count<ConversationRow>>[1]) =>
    selection.where?.length ? store.count(conversations, selection) : readRowCount(store, listCounter(of))

  const list = async ({ userId }: Principal, query: PageQuery & Subject) => {
    const { selection, of } = listSelection(userId, query)
    const scope = `conversations:${JSON.stringify(selection)}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(conversations, { ...selection, order: 'desc', ...range }),
      count: () => countListed(of, selection),
    })
    return { conversations: rows.map(toConversation), ...facts }
  }

  /** The conversation and its newest messages, or those before the cursor, oldest first; fewer when they are long. */
  const get = async (principal: Principal, id: string, query: Omit<PageQuery, 'offset'>) => {
    const row = await own(principal, id)
    const scope = `messages:${id}`
    const page = fittingPage(
      await store.page(chatMessages, {
        index: 'ofConversation',
        is: id,
        order: 'desc',
        detail: true,
        ...pageRange(query, scope),
      }),
    )
    return {
      conversation: toConversation(row),
      messages: page.rows.map(toMessage).reverse(),
      ...pageFacts(page, row.messageCount, query, scope),
    }
  }

  const rename = async (principal: Principal, id: string, title: string): Promise<Conversation> => {
    await own(principal, id)
    const { row } = await store.commit<ConversationRow>(
      {
        update: conversations,
        key: id,
        when: { userId: principal.userId },
        set: { title, updatedAt: iso(clock.now()) },
        unset: ['untitled'],
      },
      [],
      true,
    )
    if (!row) throw missing('Conversation')
    return toConversation(row)
  }

  return { own, create, list, get, rename }
}

const listSelection = (userId: string, { taskId, ticketId }: Subject) => {
  const ofTicket = ticketId === undefined ? undefined : ticketKey(userId, ticketId)
  if (taskId !== undefined) {
    const where = ofTicket === undefined ? [] : [{ field: 'ofTicket' as const, in: [ofTicket] }]
    const is = taskKey(userId, taskId)
    return { selection: { index: 'ofTask', is, where }, of: is }
  }
  if (ofTicket !== undefined) return { selection: { index: 'ofTicket', is: ofTicket }, of: ofTicket }
  return { selection: { index: 'ofUser', is: userId }, of: userId }
}

/** The part of a page that fits an answer; the next page begins after it. */
const fittingPage = ({ rows, next }: Page<MessageRow>): Page<MessageRow> => {
  const fittingRows = fitting(rows)
  const last = fittingRows.at(-1)?.number
  return fittingRows.length === rows.length || last === undefined
    ? { rows, next }
    : { rows: fittingRows, next: { by: last, key: last } }
}

export const toConversation = (row: ConversationRow): Conversation => {
  const { id, title, systemPrompt, taskId, ticketId, messageCount, createdAt, updatedAt } = row
  const view = { id, title, systemPrompt, taskId, ticketId, messageCount, createdAt, updatedAt }
  return { ...view, ...truncatedIn(row) }
}
