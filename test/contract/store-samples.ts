import { type Collection, collection } from '../../lib/core/collection.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Page, Position, Query, Store } from '../../lib/ports/store.ts'

export type Note = {
  id: string
  owner: string
  state: string
  createdAt: string
  title?: string
  summary?: string
  rank?: number
  done?: boolean
  dueAt?: string
  labels?: string[]
  metadata?: unknown
  body?: string
  files?: string[]
  edits?: number
}
/** Several indexes, one that holds some rows only, and heavy fields. */
export const notes = collection<Note>({
  name: 'notes',
  key: 'id',
  detail: ['body', 'files', 'edits'],
  indexes: {
    newest: { by: 'createdAt' },
    byOwner: { within: 'owner', by: 'createdAt' },
    byState: { within: 'state', by: 'createdAt' },
    due: { by: 'dueAt' },
  },
})

export type Line = { noteId: string; id: string; at: number; text: string }
/** A pair for a key; `recent` crosses the owners, whose lines may have equal ids. */
export const lines = collection<Line>({
  name: 'lines',
  key: 'id',
  within: 'noteId',
  indexes: { inOrder: { within: 'noteId', by: 'at' }, recent: { by: 'at' } },
})

export type Ticket = {
  id: string
  user: string
  createdAt: string
  expiresAt?: number
  uses?: number
  body?: string
}
export const tickets = collection<Ticket>({
  name: 'tickets',
  key: 'id',
  expires: 'expiresAt',
  detail: ['body'],
  indexes: { byUser: { within: 'user', by: 'createdAt' } },
})

export type Entry = { book: string; id: string; kind: string; text: string; more?: unknown }
/** Rows of an owner in the order of their keys, as in a log. */
export const entries = collection<Entry>({
  name: 'entries',
  key: 'id',
  within: 'book',
  indexes: { ofBook: { within: 'book', by: 'id' } },
})

/** Adapters look at the declarations only; TypeScript will not have a `Collection<Note>` be a `Collection`. */
export const samples = [notes, lines, tickets, entries] as unknown as readonly Collection[]

export type Opened = { store: Store; close: () => Promise<void> }
export type OpenStore = (needs: { collections: readonly Collection[]; clock: Clock }) => Promise<Opened>

export const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  owner: 'ann',
  state: 'open',
  createdAt: '2025-01-01T00:00:00.000Z',
  ...more,
})

/** Every page of a query, one after the other. */
export const walk = async <R extends object>(
  store: Store,
  of: Collection<R>,
  query: Query<R>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<R[]> => {
  const rows: R[] = []
  let after: Position | undefined
  do {
    const page: Page<R> = await store.page(of, { ...query, ...(after && { after }) })
    rows.push(...page.rows)
    after = page.next
    await between()
  } while (after !== undefined)
  return rows
}
