import { invalid, missing, Problem } from '../core/errors.ts'
import { pageFacts, pageRange } from '../core/page.ts'
import type { Actor, Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Page, Query as Selection, Store } from '../ports/store.ts'
import { memorySessions } from './rows.ts'
import type { CheckOwnConversation, MemorySession } from './schema.ts'

type Needs = { store: Store; clock: Clock; ids: Ids; checkOwnConversation: CheckOwnConversation }
type Query = {
  limit: number
  offset?: number | undefined
  cursor?: string | undefined
  status: MemorySession['status']
  conversationId?: string | undefined
}
type Where = NonNullable<Selection<MemorySession>['where']>

const MOST_OF_CONVERSATION = 10

/** Memory sessions belong to the whole installation; one of a conversation belongs to the user who made it. */
export const createMemorySessions = ({ store, clock, ids, checkOwnConversation }: Needs) => {
  const visible = async ({ userId }: Actor, id: string): Promise<MemorySession> => {
    const row = await store.get(memorySessions, id)
    if (row === undefined || (row.conversationId !== undefined && row.createdBy !== userId))
      throw missing('Memory session')
    return row
  }

  /** The visible sessions, from one selection of rows for each kind of session; no selection has both kinds. */
  const visibleWhere = ({ userId }: Actor, conversationId: string | undefined): readonly Where[] => {
    const own: Where = [{ field: 'createdBy', in: [userId] }]
    if (conversationId !== undefined) return [[{ field: 'conversationId', in: [conversationId] }, ...own]]
    return [[{ field: 'conversationId', exists: false }], [{ field: 'conversationId', exists: true }, ...own]]
  }

  const list = async (principal: Principal, query: Query) => {
    const { status, conversationId } = query
    if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
    const kinds = visibleWhere(principal, conversationId)
    const scope = `memory-sessions:${JSON.stringify([status, kinds])}`
    const range = pageRange(query, scope)
    // Any of the pages may have all rows before the offset.
    const offset = 'offset' in range ? range.offset : 0
    const place = 'after' in range ? { after: range.after } : {}
    const rows = { index: 'byStatus', is: status }
    const part = { ...rows, order: 'desc', ...place, limit: offset + query.limit } as const
    const [pages, totals] = await Promise.all([
      Promise.all(kinds.map((where) => store.page(memorySessions, { ...part, where }))),
      Promise.all(kinds.map((where) => store.count(memorySessions, { ...rows, where }))),
    ])
    const page = newest(pages, offset, query.limit)
    const total = totals.reduce((sum, count) => sum + count, 0)
    return { sessions: page.rows, ...pageFacts(page, total, query, scope) }
  }

  return {
    list,
    create: async (
      principal: Principal,
      { name, conversationId }: { name?: string | undefined; conversationId?: string | undefined },
    ): Promise<MemorySession> => {
      if (name === undefined && conversationId === undefined)
        throw invalid([{ path: 'name', message: 'is required without conversationId' }])
      if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
      const now = iso(clock.now())
      const row: MemorySession = {
        id: ids.next('mem'),
        name: name ?? `Conversation ${conversationId}`,
        ...(conversationId === undefined ? {} : { conversationId }),
        status: 'active',
        createdAt: now,
        updatedAt: now,
        createdBy: principal.userId,
      }
      await store.commit<MemorySession>({ insert: memorySessions, row })
      return row
    },

    get: (principal: Principal, id: string): Promise<MemorySession> => visible(principal, id),

    archive: async (principal: Principal, id: string): Promise<MemorySession> => {
      await visible(principal, id)
      const now = iso(clock.now())
      const { applied, row } = await store.commit<MemorySession>({
        update: memorySessions,
        key: id,
        when: { status: 'active' },
        set: { status: 'archived', archivedAt: now, updatedAt: now },
      })
      if (!row) throw missing('Memory session')
      if (!applied)
        throw new Problem('invalid', 'memory_session_state_conflict', 'The session is already archived')
      return row
    },

    /** The names of a conversation's sessions that are not archived, newest first. */
    readNames: async (conversationId: string): Promise<string[]> => {
      const { rows } = await store.page(memorySessions, {
        index: 'ofConversation',
        is: conversationId,
        order: 'desc',
        limit: MOST_OF_CONVERSATION,
        where: [{ field: 'status', in: ['active'] }],
      })
      return rows.map(({ name }) => name)
    },
  }
}

const newest = (
  pages: readonly Page<MemorySession>[],
  offset: number,
  limit: number,
): Page<MemorySession> => {
  const isLater = (a: MemorySession, b: MemorySession) =>
    a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
  const sessions = pages.flatMap(({ rows }) => rows).sort((a, b) => (isLater(a, b) ? -1 : 1))
  const rows = sessions.slice(offset, offset + limit)
  const last = rows.at(-1)
  const hasMore = sessions.length > offset + limit || pages.some(({ next }) => next !== undefined)
  return { rows, next: last && hasMore ? { by: last.createdAt, key: last.id } : undefined }
}
