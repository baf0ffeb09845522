import type { Change, LogEntry } from '../../core/collection.ts'
import type { AnyWrite, Key, Outcome, Write } from '../../ports/store.ts'
import type { Increments } from './counters.ts'
import type { Outbox } from './outbox.ts'
import type { Fields } from './plan.ts'
import type { Publications } from './publications.ts'
import { keyIn } from './row-reader.ts'
import type { Decision, Part, Table } from './table.ts'

type Needs = {
  findTable: (of: { name: string }) => Table
  increments: Pick<Increments, 'add'>
  outbox: Pick<Outbox, 'add'>
  publications: Pick<Publications, 'isWatched' | 'add'>
}

/** A write that applies. */
type Applied = {
  table: Table
  key: Key
  log: readonly LogEntry[]
  decision: Extract<Decision, { applied: true }>
}

const NO_LOG: readonly LogEntry[] = []

/**
 * Decides and writes commits in the open transaction. All writes of a commit are decided before the first one is written,
 * so a refused commit writes nothing. One that throws may have written: the caller rolls back.
 */
export const createCommits = ({ findTable, increments, outbox, publications }: Needs) => {
  const writtenKey = (one: AnyWrite): Key =>
    'insert' in one ? keyIn(findTable(one.insert).plan, one.row) : one.key

  const writtenCollection = (one: AnyWrite) =>
    'insert' in one ? one.insert : 'update' in one ? one.update : one.remove

  const decide = (one: AnyWrite, part: Part): Decision => {
    const table = findTable(writtenCollection(one))
    if ('insert' in one) return table.insert(one.row, part)
    return 'update' in one ? table.update(one, part) : table.remove(one, part)
  }

  const refuseTwice = (writes: readonly AnyWrite[]) => {
    const names = new Set(
      writes.map((one) => [writtenCollection(one).name, writtenKey(one)].flat().join('\0')),
    )
    if (names.size < writes.length) throw new TypeError('A commit writes each row once')
  }

  /** Appends the entries of a change to the log of its row. The log of a removed row is removed too. */
  const writeLog = ({ plan }: Table, key: Key, { after, log }: Change<Fields>) => {
    if (plan.log === undefined) {
      if (log.length > 0) throw new TypeError(`${plan.name} declares no log`)
      return
    }
    const logTable = findTable({ name: plan.log })
    const owner = String(key)
    if (after === undefined) logTable.removeAll(owner)
    for (const entry of log) logTable.append({ [String(logTable.plan.within)]: owner, ...entry })
  }

  /** Writes the log, and adds the declared consequences of a change. */
  const follow = (table: Table, key: Key, change: Change<Fields>) => {
    writeLog(table, key, change)
    const { follows } = table.plan
    for (const increment of follows?.counts?.(change) ?? []) increments.add(increment)
    for (const message of follows?.sends?.(change) ?? []) outbox.add(message)
    if (publications.isWatched) publications.add(follows?.publishes?.(change) ?? [])
  }

  const write = ({ table, key, log, decision }: Applied) => {
    const { before, after, expired } = decision
    decision.write()
    if (expired !== undefined) follow(table, key, { before: expired, after: undefined, log: NO_LOG })
    follow(table, key, { before, after, log })
  }

  const decideAll = (head: Write<Fields>, rows: readonly AnyWrite[], part: Part) => {
    const applied: Applied[] = []
    for (const [at, one] of [head as AnyWrite, ...rows].entries()) {
      const decision = decide(one, at === 0 ? part : 'nothing')
      if (!decision.applied) return { refused: at, row: at === 0 ? decision.row : undefined }
      const log = ('log' in one && one.log) || NO_LOG
      applied.push({ table: findTable(writtenCollection(one)), key: writtenKey(one), log, decision })
    }
    return { applied, row: applied[0]?.decision.row }
  }

  return {
    commit: (head: Write<Fields>, rows: readonly AnyWrite[], detail: boolean): Outcome<Fields> => {
      if (rows.length > 0) refuseTwice([head, ...rows])
      const { row, ...decided } = decideAll(head, rows, detail ? 'whole' : 'light')
      if ('refused' in decided) return { applied: false, row, refused: decided.refused }
      for (const one of decided.applied) write(one)
      return { applied: true, row }
    },
    /** Removes an expired row, which is a change like any other; returns whether it had expired. */
    expire: (table: Table, key: Key): boolean => {
      const decision = table.expire(key)
      if (decision.applied) write({ table, key, log: NO_LOG, decision })
      return decision.applied
    },
  }
}
