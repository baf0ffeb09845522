import type { DatabaseSync } from 'node:sqlite'
import type { Increment } from '../../core/collection.ts'
import { getOrCreate } from '../../core/get-or-create.ts'
import type { Counters } from '../../ports/store.ts'
import type { Participant } from './group-commit.ts'
import { unpacked } from './packed-rows.ts'
import type { Fields, Plan } from './plan.ts'
import type { BatchBuilder } from './write-batch.ts'

const KINDS = ['add', 'least', 'most'] as const
type Kind = (typeof KINDS)[number]
type Sums = Record<Kind, Map<string, number>>
type Members = Readonly<Record<string, Counters>>

const COMBINE: Record<Kind, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  least: Math.min,
  most: Math.max,
}
const ON_CONFLICT: Record<Kind, string> = {
  add: 'value + excluded.value',
  least: 'min(value, excluded.value)',
  most: 'max(value, excluded.value)',
}

/** Not a counter, but the epoch milliseconds of a member's removal. */
const EXPIRY = '>expiresAt'

/** The table has the name from earlier versions. */
export const createCounterTable = (db: DatabaseSync): void =>
  db.exec(
    `CREATE TABLE IF NOT EXISTS tally_totals (grp NOT NULL, member NOT NULL, name NOT NULL, value NOT NULL,
     PRIMARY KEY (grp, member, name)) WITHOUT ROWID;
     CREATE INDEX IF NOT EXISTS tally_expiry ON tally_totals (value) WHERE name = '${EXPIRY}'`,
  )

/**
 * Writes of counters. The increments of one batch are summed in memory and stored once per name at its end, so that a
 * counter which every task changes costs one write per transaction. A repeated increment, which is the same object, is
 * only counted until then.
 */
export const openIncrements = (batch: BatchBuilder) => {
  const pending = new Map<Increment, number>()
  const removal = batch.statement('DELETE FROM tally_totals WHERE grp = ? AND member = ?')
  const statements: Record<Kind, number> = {
    add: batch.statement(storeSql('add')),
    least: batch.statement(storeSql('least')),
    most: batch.statement(storeSql('most')),
  }
  return {
    /** Returns the increment; throws TypeError for an invalid one. */
    check: (increment: Increment): Increment => {
      if (!pending.has(increment)) check(increment)
      return increment
    },
    /** Adds a checked increment to the batch under construction. */
    add: (increment: Increment): void => {
      pending.set(increment, (pending.get(increment) ?? 0) + 1)
    },
    /** Removes all counters of a member. */
    remove: (counter: string, member: string): void => batch.add(removal, [counter, member]),
    seal: (): void => {
      const sums: AllSums = new Map()
      for (const [increment, times] of pending) addTo(sums, increment, times)
      storeAll(sums, (kind, values) => batch.add(statements[kind], values))
      pending.clear()
    },
    committed: () => undefined,
    voided: () => pending.clear(),
  } satisfies Participant & { check: unknown; add: unknown; remove: unknown }
}
export type Increments = ReturnType<typeof openIncrements>

const check = ({ counter, member, ...numbers }: Increment): void => {
  if (typeof counter !== 'string' || typeof member !== 'string')
    throw new TypeError('A counter and its member are texts')
  for (const kind of KINDS)
    for (const name in numbers[kind])
      if (!Number.isFinite(numbers[kind]?.[name]))
        throw new TypeError(`${name} of the counter ${counter} is not a number`)
}

/** By counter, member, kind and name. */
type AllSums = Map<string, Map<string, Sums>>

/** Adds an increment `times` times. */
const addTo = (counters: AllSums, increment: Increment, times: number): void => {
  const members = getOrCreate(counters, increment.counter, () => new Map<string, Sums>())
  const sums = getOrCreate(members, increment.member, noSums)
  if (increment.expiresAt !== undefined) sums.most.set(EXPIRY, increment.expiresAt)
  for (const kind of KINDS) {
    const numbers = increment[kind]
    for (const name in numbers) {
      const known = sums[kind].get(name)
      const value = (numbers[name] as number) * (kind === 'add' ? times : 1)
      sums[kind].set(name, known === undefined ? value : COMBINE[kind](known, value))
    }
  }
}

const noSums = (): Sums => ({ add: new Map(), least: new Map(), most: new Map() })

const storeSql = (kind: Kind) =>
  `INSERT INTO tally_totals VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = ${ON_CONFLICT[kind]}`

const storeAll = (
  counters: AllSums,
  store: (kind: Kind, values: [string, string, string, number]) => void,
) => {
  for (const [counter, members] of counters)
    for (const [member, sums] of members)
      for (const kind of KINDS)
        for (const [name, value] of sums[kind]) store(kind, [counter, member, name, value])
}

/** The rows that show whether a collection has a counter that the file lacks. */
const SAMPLE = 20

/**
 * Fills new counters from the present rows, as new indexes are: each row counts as just inserted. Counters with any
 * number in the file are unchanged, and rows that cannot be counted, and expired members, are skipped.
 */
export const fillCounters = (db: DatabaseSync, plans: readonly Plan[], now: number): void => {
  const known = db.prepare('SELECT DISTINCT grp FROM tally_totals').all()
  const names = new Set(known.map(({ grp }) => String(grp)))
  const isNew = ({ counter, expiresAt = Number.POSITIVE_INFINITY }: Increment) =>
    !names.has(counter) && expiresAt > now
  const sums: AllSums = new Map()
  for (const plan of plans) {
    const news = (most: number) => newIncrements(db, plan, isNew, most)
    if (plan.follows?.counts && hasAny(news(SAMPLE)))
      for (const increment of news(-1)) addTo(sums, increment, 1)
  }
  storeAll(sums, (kind, values) => db.prepare(storeSql(kind)).run(...values))
}

/** Closes the iterator after the first item. */
const hasAny = (items: Iterable<unknown>): boolean => {
  for (const _ of items) return true
  return false
}

/** The increments of rows for new counters; the newest rows first. */
function* newIncrements(db: DatabaseSync, plan: Plan, isNew: (one: Increment) => boolean, most: number) {
  const { packed, clustered, table } = plan
  const from = packed ? unpacked(plan) : table
  const rows = db.prepare(
    `SELECT _head AS head FROM ${from} ${clustered ? '' : 'ORDER BY _rid DESC'} LIMIT ?`,
  )
  for (const { head } of rows.iterate(most))
    for (const increment of incrementsOf(plan, JSON.parse(String(head))))
      if (isNew(increment)) yield increment
}

const incrementsOf = (plan: Plan, row: Fields): readonly Increment[] => {
  try {
    const change = { before: undefined, after: row, log: [] }
    const increments = plan.follows?.counts?.(change) ?? []
    increments.forEach(check)
    return increments
  } catch {
    return []
  }
}

/**
 * Reads of counters. Every list reads some, so results are cached until the file changes: no other program writes to it.
 * `isChanging` says whether the writer has a batch.
 */
export const openCounters = (db: DatabaseSync, isChanging: () => boolean) => {
  const select = db.prepare(
    `SELECT member, name, value FROM tally_totals WHERE grp = ? AND member >= ? AND name <> '${EXPIRY}'
     ORDER BY member, name`,
  )
  const selectExpired = db.prepare(
    `SELECT grp, member FROM tally_totals WHERE name = '${EXPIRY}' AND value <= ? ORDER BY value LIMIT ?`,
  )
  const known = new Map<string, Members>()

  const read = (counter: string, from: string): Members => {
    const members = Map.groupBy(select.all(counter, from), ({ member }) => String(member))
    const counters = [...members].map(([member, rows]) => {
      const numbers = rows.map(({ name, value }) => [String(name), Number(value)])
      return [member, Object.freeze(Object.fromEntries(numbers))]
    })
    return Object.freeze(Object.fromEntries(counters))
  }

  return {
    /** The members of a counter by name, from `from` on; with `from` they are never cached. */
    of: (counter: string, from: string): Members => {
      if (from !== '' || isChanging()) return read(counter, from)
      return getOrCreate(known, counter, () => read(counter, from))
    },
    /** The expired members, oldest first. */
    expired: (now: number, limit: number) =>
      selectExpired
        .all(now, limit)
        .map(({ grp, member }) => ({ counter: String(grp), member: String(member) })),
    seal: () => undefined,
    committed: () => known.clear(),
    voided: () => known.clear(),
  } satisfies Participant & { of: unknown; expired: unknown }
}
