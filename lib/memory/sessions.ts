import { invalid, missing, Problem } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import { type MemorySessionRow, memorySessions } from './rows.ts'
import type { MemorySession } from './schema.ts'

type Needs = { store: Store; clock: Clock; ids: Ids }
type Query = {
  limit: number
  offset?: number | undefined
  cursor?: string | undefined
  status: MemorySession['status']
  conversationId?: string | undefined
}

const MOST_OF_CONVERSATION = 10

/** Memory sessions: they belong to the whole installation, as memory does. */
export const createMemorySessions = ({ store, clock, ids }: Needs) => ({
  create: async (
    { userId }: Principal,
    { name, conversationId }: { name?: string | undefined; conversationId?: string | undefined },
  ): Promise<MemorySession> => {
    if (name === undefined && conversationId === undefined)
      throw invalid([{ path: 'name', message: 'is needed, or a conversationId' }])
    const now = iso(clock.now())
    const row: MemorySessionRow = {
      ...{ id: ids.next('mem'), name: name ?? `Conversation ${conversationId}` },
      ...(conversationId === undefined ? {} : { conversationId }),
      ...{ status: 'active', createdAt: now, updatedAt: now, createdBy: userId },
    }
    await store.commit<MemorySessionRow>({ insert: memorySessions, row })
    return row
  },

  list: async (query: Query) => {
    const { status, conversationId } = query
    const where =
      conversationId === undefined ? [] : [{ field: 'conversationId' as const, in: [conversationId] }]
    const selection = { index: 'byStatus', is: status, where }
    const scope = `memory-sessions:${JSON.stringify([status, where])}`
    const [page, total] = await Promise.all([
      store.page(memorySessions, { ...selection, order: 'desc', ...rangeOf(query, scope) }),
      store.count(memorySessions, selection),
    ])
    return { sessions: page.rows, ...pageFacts(page, total, query, scope) }
  },

  get: async (id: string): Promise<MemorySession> => {
    const row = await store.get(memorySessions, id)
    if (!row) throw missing('Memory session')
    return row
  },

  archive: async (id: string): Promise<MemorySession> => {
    const now = iso(clock.now())
    const { applied, row } = await store.commit<MemorySessionRow>({
      update: memorySessions,
      key: id,
      when: { status: 'active' },
      set: { status: 'archived', archivedAt: now, updatedAt: now },
    })
    if (!row) throw missing('Memory session')
    if (!applied)
      throw new Problem('invalid', 'memory_session_state_conflict', 'The session is archived already')
    return row
  },

  /** The names of a conversation's sessions that are not archived, newest first. */
  namesOf: async (conversationId: string): Promise<string[]> => {
    const { rows } = await store.page(memorySessions, {
      ...{ index: 'ofConversation', is: conversationId, order: 'desc', limit: MOST_OF_CONVERSATION },
      where: [{ field: 'status', in: ['active'] }],
    })
    return rows.map(({ name }) => name)
  },
})
