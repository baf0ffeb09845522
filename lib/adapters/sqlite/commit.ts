import type { Change, LiveDraft, LogEntry } from '../../core/collection.ts'
import type { LivePublisher } from '../../ports/live.ts'
import type { AnyWrite, Key, Outcome, Write } from '../../ports/store.ts'
import type { StoredCounters } from './counters.ts'
import type { Outbox } from './outbox.ts'
import type { Fields } from './plan.ts'
import { keyIn } from './stored-rows.ts'
import type { Decision, Part, Table } from './table.ts'

type Needs = {
  findTable: (of: { name: string }) => Table
  counters: Pick<StoredCounters, 'add'>
  outbox: Pick<Outbox, 'add'>
  publisher: LivePublisher | undefined
}

/** A write that applies. */
type Applied = {
  table: Table
  key: Key
  log: readonly LogEntry[]
  decision: Extract<Decision, { applied: true }>
}

/**
 * Decides and writes commits in the open transaction. All writes of a commit are decided before the first one is written,
 * so a refused commit writes nothing. One that throws may have written: the caller rolls back.
 */
export const createCommits = ({ findTable, counters, outbox, publisher }: Needs) => {
  /** The live events of the open batch: they are published when it is durable, or never. */
  let drafts: LiveDraft[] = []

  const target = (one: AnyWrite): { table: Table; key: Key } => {
    const table = findTable('insert' in one ? one.insert : 'update' in one ? one.update : one.remove)
    return { table, key: 'insert' in one ? keyIn(table.plan, one.row) : one.key }
  }

  const decide = (table: Table, one: AnyWrite, part: Part): Decision => {
    if ('insert' in one) return table.insert(one.row, part)
    return 'update' in one ? table.update(one, part) : table.remove(one, part)
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
    for (const increment of follows?.counts?.(change) ?? []) counters.add(increment)
    for (const message of follows?.sends?.(change) ?? []) outbox.add(message)
    if (publisher?.isWatched) drafts.push(...(follows?.publishes?.(change) ?? []))
  }

  const write = ({ table, key, log, decision }: Applied) => {
    const { before, after, expired } = decision
    decision.write()
    if (expired !== undefined) follow(table, key, { before: expired, after: undefined, log: [] })
    follow(table, key, { before, after, log })
  }

  return {
    commit: (head: Write<Fields>, rows: readonly AnyWrite[], detail: boolean): Outcome<Fields> => {
      const decided: Applied[] = []
      const names = new Set<string>()
      let part: Part = detail ? 'with detail' : 'summary'
      for (const one of [head as AnyWrite, ...rows]) {
        const { table, key } = target(one)
        if (rows.length > 0) refuseTwice(names, [table.plan.name, key].flat().join('\0'))
        const decision = decide(table, one, part)
        part = 'nothing'
        if (!decision.applied) return { applied: false, row: decision.row, refused: decided.length }
        decided.push({ table, key, log: ('log' in one && one.log) || [], decision })
      }
      for (const one of decided) write(one)
      return { applied: true, row: decided[0]?.decision.row }
    },
    /** Removes an expired row, which is a change like any other; returns whether it had expired. */
    expire: (table: Table, key: Key): boolean => {
      const decision = table.expire(key)
      if (decision.applied) write({ table, key, log: [], decision })
      return decision.applied
    },
    rolledBack: (): void => {
      drafts = []
    },
    durable: (): void => {
      if (drafts.length > 0) publisher?.publish(drafts)
      drafts = []
    },
  }
}

const refuseTwice = (names: Set<string>, name: string): void => {
  if (names.has(name)) throw new TypeError('A commit writes each row once')
  names.add(name)
}
