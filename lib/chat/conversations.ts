import { missing } from '../core/errors.ts'
import { pageFacts, rangeOf, totalOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { CreateConversation, ListConversations, MessagesQuery } from './contract.ts'
import { messageOfRow } from './messages.ts'
import {
  type ChatTurnRow,
  type ConversationRow,
  chatMessages,
  chatTurns,
  conversationRemovals,
  conversations,
  LISTED,
  listCounter,
  type MessageRow,
  REMOVALS,
  type RemovalRow,
  taskKey,
  ticketKey,
} from './rows.ts'
import type { Conversation } from './schema.ts'

/** What is called so until its first message gives it a title. */
const UNTITLED = 'New conversation'
/** Messages that are removed at once, and in one run. */
const REMOVED_AT_ONCE = 50
const MOST_REMOVED = 1_000
const REMOVALS_OF_A_RUN = 20

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
}

export type Conversations = ReturnType<typeof createConversations>

/** Conversations belong to their user; to others they are not there. */
export const createConversations = ({ store, clock, ids }: Needs) => {
  /** The conversation with its summary. Throws Problem `missing` for one of somebody else. */
  const own = async ({ userId }: Pick<Principal, 'userId'>, id: string): Promise<ConversationRow> => {
    const row = await store.get(conversations, id, true)
    if (row?.userId !== userId) throw missing('Conversation')
    return row
  }

  const create = async ({ userId }: Principal, given: CreateConversation): Promise<Conversation> => {
    const { title, systemPrompt, taskId, ticketId } = given
    const now = iso(clock.now())
    const row: ConversationRow = {
      ...{ id: ids.next('conv'), userId, title: title ?? UNTITLED },
      ...(title === undefined ? { untitled: true as const } : {}),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(taskId === undefined ? {} : { taskId, ofTask: taskKey(userId, taskId) }),
      ...(ticketId === undefined ? {} : { ticketId, ofTicket: ticketKey(userId, ticketId) }),
      ...{ messageCount: 0, summarized: 0, createdAt: now, updatedAt: now },
    }
    await store.commit<ConversationRow>({ insert: conversations, row })
    return shownConversation(row)
  }

  /** How many there are, by counters that may lag behind by 2 s; those of a task and a ticket at once are counted. */
  const counted = async (of: string, selection: Parameters<typeof store.count<ConversationRow>>[1]) =>
    selection.where?.length
      ? store.count(conversations, selection)
      : ((await store.counters(listCounter(of), LISTED))[LISTED]?.total ?? 0)

  const list = async ({ userId }: Principal, query: ListConversations) => {
    const { selection, of } = selectionOf(userId, query)
    const scope = `conversations:${JSON.stringify(selection)}`
    const [page, total] = await Promise.all([
      store.page(conversations, { ...selection, order: 'desc', ...rangeOf(query, scope) }),
      counted(of, selection),
    ])
    return {
      conversations: page.rows.map(shownConversation),
      ...pageFacts(page, totalOf(page, total, query), query, scope),
    }
  }

  /** The conversation and its newest messages, or those before the cursor, the oldest first. */
  const get = async (principal: Principal, id: string, query: MessagesQuery) => {
    const row = await own(principal, id)
    const scope = `messages:${id}`
    const page = await store.page(chatMessages, {
      ...{ index: 'ofConversation', is: id, order: 'desc', detail: true },
      ...rangeOf(query, scope),
    })
    return {
      conversation: shownConversation(row),
      messages: page.rows.map(messageOfRow).reverse(),
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
    return shownConversation(row)
  }

  /** It is gone when this resolves; `removeDeleted` removes what belonged to it, also after the process has died. */
  const remove = async (principal: Principal, id: string): Promise<void> => {
    await own(principal, id)
    const removal: RemovalRow = { id, space: REMOVALS, requestedAt: iso(clock.now()) }
    const { applied } = await store.commit<ConversationRow>(
      { remove: conversations, key: id, when: { userId: principal.userId } },
      [{ insert: conversationRemovals, row: removal }],
    )
    if (!applied) throw missing('Conversation')
  }

  /** Removes up to `most` messages of one that was deleted, then what else it had; answers how many. */
  const removeSome = async (id: string, most: number): Promise<number> => {
    let removed = 0
    while (removed < most) {
      const { rows, next } = await store.page(chatMessages, {
        ...{
          index: 'ofConversation',
          is: id,
          order: 'asc',
          limit: Math.min(REMOVED_AT_ONCE, most - removed),
        },
      })
      await Promise.all(
        rows.map(({ number }) => store.commit<MessageRow>({ remove: chatMessages, key: [id, number] })),
      )
      removed += rows.length
      if (next !== undefined) continue
      await store.commit<ChatTurnRow>({ remove: chatTurns, key: id })
      await store.commit<RemovalRow>({ remove: conversationRemovals, key: [REMOVALS, id] })
      return removed
    }
    return removed
  }

  /** Removes messages of deleted conversations, at most a thousand; what is left comes with the next run. */
  const removeDeleted = async (): Promise<number> => {
    const { rows } = await store.page(conversationRemovals, {
      ...{ index: 'ofSpace', is: REMOVALS, order: 'asc', limit: REMOVALS_OF_A_RUN },
    })
    let removed = 0
    for (const { id } of rows)
      if (removed < MOST_REMOVED) removed += await removeSome(id, MOST_REMOVED - removed)
    return removed
  }

  return { own, create, list, get, rename, remove, removeDeleted }
}

const selectionOf = (userId: string, { taskId, ticketId }: ListConversations) => {
  const ofTicket = ticketId === undefined ? undefined : ticketKey(userId, ticketId)
  if (taskId !== undefined) {
    const where = ofTicket === undefined ? [] : [{ field: 'ofTicket' as const, in: [ofTicket] }]
    const is = taskKey(userId, taskId)
    return { selection: { index: 'ofTask', is, where }, of: is }
  }
  if (ofTicket !== undefined) return { selection: { index: 'ofTicket', is: ofTicket }, of: ofTicket }
  return { selection: { index: 'ofUser', is: userId }, of: userId }
}

/** A stored row as the API shows it. */
export const shownConversation = (row: ConversationRow): Conversation => {
  const { id, title, systemPrompt, taskId, ticketId, messageCount, createdAt, updatedAt } = row
  return {
    ...{ id, title },
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(ticketId === undefined ? {} : { ticketId }),
    ...{ messageCount, createdAt, updatedAt },
  }
}
