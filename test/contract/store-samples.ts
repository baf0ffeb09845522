import { type Collection, collection, type Message } from '../../lib/core/collection.ts'
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

export type JobEvent = { jobId: string; id: string; type: string; text?: string }
export const jobEvents = collection<JobEvent>({
  name: 'jobEvents',
  key: 'id',
  within: 'jobId',
  indexes: { ofJob: { within: 'jobId', by: 'id' } },
})

export type Job = {
  id: string
  state: 'new' | 'ready' | 'done'
  createdAt: string
  size?: number
  expiresAt?: number
  body?: string
}
/** What follows from its writes: a log, counters by state and of sizes, a message for each that becomes ready. */
export const jobs = collection<Job, 'body'>({
  name: 'jobs',
  key: 'id',
  expires: 'expiresAt',
  detail: ['body'],
  summary: ['state', 'createdAt', 'size', 'expiresAt'],
  indexes: { newest: { by: 'createdAt' } },
  log: jobEvents,
  counts: ({ before, after }) =>
    before?.state === after?.state
      ? []
      : [
          {
            counter: 'jobs',
            member: 'all',
            add: {
              ...(before && { [before.state]: -1 }),
              ...(after && { [after.state]: 1 }),
              ...(!(before && after) && { total: after ? 1 : -1 }),
            },
          },
          ...(after?.state === 'done'
            ? [
                {
                  counter: 'jobs.hourly',
                  member: after.createdAt,
                  add: { done: 1 },
                  expiresAt: Date.parse(after.createdAt) + 86_400_000,
                },
              ]
            : []),
          ...(after?.state === 'done' && after.size !== undefined
            ? [
                {
                  counter: 'jobs',
                  member: 'all',
                  add: { size: after.size },
                  least: { smallest: after.size },
                  most: { largest: after.size },
                },
                { counter: 'jobs.daily', member: after.createdAt.slice(0, 10), add: { done: 1 } },
              ]
            : []),
        ],
  sends: ({ before, after, log }) =>
    after?.state === 'ready' && before?.state !== 'ready'
      ? [
          { to: 'notices', id: log[0]?.id ?? after.id, body: { jobId: after.id } },
          { to: 'run', id: `run_${after.id}`, body: { jobId: after.id }, rebuilt: true },
        ]
      : [],
})

export type Letter = {
  id: string
  at: string
  subject?: string
  sender?: { name: string }
  body?: string
  files?: readonly string[]
}
/** Texts to search: of the summary, of the detail, and taken from values. */
export const letters = collection<Letter>({
  name: 'letters',
  key: 'id',
  indexes: { newest: { by: 'at' } },
  detail: ['body', 'files'],
  summary: ['at', 'subject', 'sender'],
  search: [
    { name: 'subject', field: 'subject' },
    { name: 'id', field: 'id' },
    { name: 'sender', field: 'sender', text: (sender) => (sender as Letter['sender'])?.name },
    { name: 'body', field: 'body' },
    { name: 'files', field: 'files', text: (files) => (files as string[]).join('\n'), heavy: true },
  ],
})

/** Adapters look at the declarations only; TypeScript will not have a `Collection<Note>` be a `Collection`. */
export const samples = [
  notes,
  lines,
  tickets,
  entries,
  jobEvents,
  jobs,
  letters,
] as unknown as readonly Collection[]

/** Takes messages, as a queue does. One that rejects gets them again. */
export type Deliver = (messages: readonly Message[]) => Promise<void>
/** `drained` resolves when everything that follows from the commits answered so far has been done. */
export type Opened = { store: Store; drained: () => Promise<void>; close: () => Promise<void> }
export type OpenStore = (needs: {
  collections: readonly Collection[]
  clock: Clock
  deliver: Deliver
}) => Promise<Opened>

export const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  owner: 'ann',
  state: 'open',
  createdAt: '2025-01-01T00:00:00.000Z',
  ...more,
})

export const job = (id: string, more: Partial<Job> = {}): Job => ({
  id,
  state: 'new',
  createdAt: '2025-01-01T00:00:00.000Z',
  ...more,
})

/** The outcome of a commit of one write. */
export const outcome = <R>(applied: boolean, row: R) => ({ applied, row, ...(applied ? {} : { refused: 0 }) })

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
