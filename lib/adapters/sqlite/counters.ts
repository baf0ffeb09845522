import type { DatabaseSync } from 'node:sqlite'
import type { Increment } from '../../core/collection.ts'
import { getOrCreate } from '../../core/get-or-create.ts'
import type { Counters } from '../../ports/store.ts'

const KINDS = ['add', 'least', 'most'] as const
type Kind = (typeof KINDS)[number]
type Sums = Record<Kind, Map<string, number>>
type Members = Readonly<Record<string, Counters>>

const COMBINE: Record<Kind, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  least: Math.min,
  most: Math.max,
}
/** A row that stays as it is is not written. */
const ON_CONFLICT: Record<Kind, string> = {
  add: 'value = value + excluded.value',
  least: 'value = excluded.value WHERE value > excluded.value',
  most: 'value = excluded.value WHERE value < excluded.value',
}

/** Not a counter, but the epoch milliseconds of a member's removal. */
const EXPIRY = '>expiresAt'

export const createCounterTable = (db: DatabaseSync): void =>
  db.exec(
    `CREATE TABLE IF NOT EXISTS _counters (counter NOT NULL, member NOT NULL, name NOT NULL, value NOT NULL,
     PRIMARY KEY (counter, member, name)) WITHOUT ROWID;
     CREATE INDEX IF NOT EXISTS _counters_expiry ON _counters (value) WHERE name = '${EXPIRY}'`,
  )

const checked = (increment: Increment): Increment => {
  const { counter, member, expiresAt = 0, ...numbers } = increment
  if (typeof counter !== 'string' || typeof member !== 'string')
    throw new TypeError('A counter and its member are texts')
  if (!Number.isFinite(expiresAt))
    throw new TypeError(`The expiry of ${member} in ${counter} is not a number`)
  for (const kind of KINDS)
    for (const name in numbers[kind])
      if (!Number.isFinite(numbers[kind]?.[name]))
        throw new TypeError(`${name} of the counter ${counter} is not a number`)
  return increment
}

/** By counter, member, kind and name. */
type AllSums = Map<string, Map<string, Sums>>

const addTo = (counters: AllSums, increment: Increment): void => {
  const members = getOrCreate(counters, increment.counter, () => new Map<string, Sums>())
  const sums = getOrCreate(members, increment.member, noSums)
  if (increment.expiresAt !== undefined) sums.most.set(EXPIRY, increment.expiresAt)
  for (const kind of KINDS) {
    const numbers = increment[kind]
    for (const name in numbers) {
      const known = sums[kind].get(name)
      const value = numbers[name] as number
      sums[kind].set(name, known === undefined ? value : COMBINE[kind](known, value))
    }
  }
}

const noSums = (): Sums => ({ add: new Map(), least: new Map(), most: new Map() })

const storing = (db: DatabaseSync, kind: Kind) =>
  db.prepare(`INSERT INTO _counters VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET ${ON_CONFLICT[kind]}`)

export type StoredCounters = ReturnType<typeof openCounters>

/**
 * The counters. The increments of one batch are summed in memory and stored once per name at its end, so that a counter
 * which every task changes costs one write per transaction. Every list reads some, so they are cached until the next
 * batch: no other program writes to the file.
 */
export const openCounters = (db: DatabaseSync, reader: DatabaseSync) => {
  const statements = { add: storing(db, 'add'), least: storing(db, 'least'), most: storing(db, 'most') }
  const removal = db.prepare('DELETE FROM _counters WHERE counter = ? AND member = ?')
  const select = reader.prepare(
    `SELECT member, name, value FROM _counters WHERE counter = ? AND member >= ? AND name <> '${EXPIRY}'
     ORDER BY member, name`,
  )
  const selectExpired = reader.prepare(
    `SELECT counter, member FROM _counters WHERE name = '${EXPIRY}' AND value <= ? ORDER BY value LIMIT ?`,
  )
  const cached = new Map<string, Members>()
  let sums: AllSums = new Map()

  const read = (counter: string, from: string): Members => {
    const members = Map.groupBy(select.all(counter, from), ({ member }) => String(member))
    const counters = [...members].map(([member, rows]) => {
      const numbers = rows.map(({ name, value }) => [String(name), Number(value)])
      return [member, Object.freeze(Object.fromEntries(numbers))]
    })
    return Object.freeze(Object.fromEntries(counters))
  }

  return {
    /** Adds an increment to the open batch; throws TypeError for an invalid one. */
    add: (increment: Increment): void => addTo(sums, checked(increment)),
    /** Removes all counters of a member. */
    remove: (counter: string, member: string): void => void removal.run(counter, member),
    /** The members of a counter by name, from `from` on; with `from` they are never cached. */
    of: (counter: string, from: string): Members =>
      from === '' ? getOrCreate(cached, counter, () => read(counter, from)) : read(counter, from),
    /** The expired members, oldest first. */
    expired: (now: number, limit: number) =>
      selectExpired
        .all(now, limit)
        .map(({ counter, member }) => ({ counter: String(counter), member: String(member) })),
    beforeCommit: (): void => {
      for (const [counter, members] of sums)
        for (const [member, kinds] of members)
          for (const kind of KINDS)
            for (const [name, value] of kinds[kind]) statements[kind].run(counter, member, name, value)
      sums = new Map()
    },
    rolledBack: () => {
      sums = new Map()
    },
    durable: () => cached.clear(),
  }
}
