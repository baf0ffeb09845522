import type { Change, LiveDraft, LogEntry } from '../../core/collection.ts'
import type { LivePublisher } from '../../ports/live.ts'
import type { AnyWrite, Key, Outcome, Write } from '../../ports/store.ts'
import type { Increments } from './counters.ts'
import type { Participant } from './group-commit.ts'
import type { Outbox } from './outbox.ts'
import type { Fields } from './plan.ts'
import type { RowCache } from './row-cache.ts'
import { type Asked, keyOf, nameOf, type Table, type Written } from './table.ts'

type Publications = ReturnType<typeof openPublications>

/** The live events of commits, a list for each batch: they are published when the batch is in the file, or never. */
export const openPublications = (publisher: LivePublisher | undefined) => {
  let open: LiveDraft[] = []
  const sealed: LiveDraft[][] = []
  return {
    get isWatched(): boolean {
      return publisher?.isWatched === true
    },
    add: (drafts: readonly LiveDraft[]): void => {
      open.push(...drafts)
    },
    seal: (): void => {
      sealed.push(open)
      open = []
    },
    committed: (): void => {
      const drafts = sealed.shift() ?? []
      if (drafts.length > 0) publisher?.publish(drafts)
    },
    voided: (): void => {
      open = []
      sealed.length = 0
    },
  } satisfies Participant & { isWatched: boolean; add(drafts: readonly LiveDraft[]): void }
}

type Needs = {
  tableOf: (of: { name: string }) => Table
  increments: Increments
  outbox: Pick<Outbox, 'check' | 'add'>
  publications: Pick<Publications, 'isWatched' | 'add'>
  rowCache: Pick<RowCache, 'reject'>
}

/** A write that was applied. */
type Applied = Change<Fields> & { table: Table; key: Key }

const NO_LOG: readonly LogEntry[] = []

/**
 * Decides commits: all writes or none, then their consequences. Rows go to the row cache, which removes them when a
 * commit is refused or throws; counters and messages come last, when nothing can throw any more.
 */
export const createCommits = ({ tableOf, increments, outbox, publications, rowCache }: Needs) => {
  const keyIn = (one: AnyWrite): Key => ('insert' in one ? keyOf(tableOf(one.insert).plan, one.row) : one.key)

  const write = (one: AnyWrite, asked: Asked): { table: Table; written: Written } => {
    if ('insert' in one) {
      const table = tableOf(one.insert)
      return { table, written: table.insert(one.row, asked) }
    }
    if ('update' in one) {
      const table = tableOf(one.update)
      return { table, written: table.update(one, asked) }
    }
    const table = tableOf(one.remove)
    return { table, written: table.remove(one, asked) }
  }

  /** Writes one row, and adds the change. */
  const apply = (one: AnyWrite, asked: Asked, changes: Applied[]): Written => {
    const { table, written } = write(one, asked)
    if (!written.applied) return written
    const { before, after, expired } = written
    const key = keyIn(one)
    if (expired) changes.push({ table, key, before: expired, after: undefined, log: NO_LOG })
    changes.push({ table, key, before, after, log: ('log' in one && one.log) || NO_LOG })
    return written
  }

  const refuseTwice = (writes: readonly AnyWrite[]) => {
    const names = new Set<string>()
    for (const one of writes) {
      const { name } = 'insert' in one ? one.insert : 'update' in one ? one.update : one.remove
      names.add(`${name}\0${nameOf(keyIn(one))}`)
    }
    if (names.size < writes.length) throw new TypeError('A commit writes each row once')
  }

  /** Appends the entries of a write to the log of its row. The log of a removed row is removed too. */
  const keepLog = ({ table: { plan }, key, after, log }: Applied) => {
    if (plan.log === undefined) {
      if (log.length > 0) throw new TypeError(`${plan.name} declares no log`)
      return
    }
    const logTable = tableOf({ name: plan.log })
    const owner = String(key)
    if (after === undefined)
      for (const id of logTable.keysOf(owner)) logTable.remove({ key: [owner, id] }, 'nothing')
    for (const entry of log) {
      const row = { [String(logTable.plan.within)]: owner, ...entry }
      if (!logTable.insert(row, 'nothing').applied)
        throw new Error(`The log of ${owner} in ${plan.name} has an entry ${entry.id} already`)
    }
  }

  /** The declared consequences of one change. */
  const consequencesOf = ({ table, before, after, log }: Applied) => {
    const { follows } = table.plan
    const change = { before, after, log }
    return {
      counted: follows?.counts?.(change).map(increments.check) ?? [],
      sent: follows?.sends?.(change).map(outbox.check) ?? [],
      published: (publications.isWatched && follows?.publishes?.(change)) || [],
    }
  }

  /** Writes logs, then adds counters, messages and live events of all changes, when nothing can throw any more. */
  const follow = (changes: readonly Applied[]) => {
    const all = changes.map((one) => {
      keepLog(one)
      return consequencesOf(one)
    })
    for (const { counted, sent, published } of all) {
      counted.forEach(increments.add)
      sent.forEach(outbox.add)
      publications.add(published)
    }
  }

  return {
    commit: (head: Write<Fields>, rows: readonly AnyWrite[], detail: boolean): Outcome<Fields> => {
      if (rows.length > 0) refuseTwice([head, ...rows])
      const changes: Applied[] = []
      const first = apply(head, detail ? 'whole' : 'light', changes)
      if (!first.applied) return { applied: false, row: first.row, refused: 0 }
      for (const [at, one] of rows.entries())
        if (!apply(one, 'nothing', changes).applied) {
          rowCache.reject()
          return { applied: false, row: undefined, refused: at + 1 }
        }
      follow(changes)
      return { applied: true, row: first.row }
    },
    /** Removes an expired row, which is a change like any other; returns whether it had expired. */
    expire: (table: Table, key: Key): boolean => {
      const before = table.expire(key)
      if (before !== undefined) follow([{ table, key, before, after: undefined, log: NO_LOG }])
      return before !== undefined
    },
  }
}
