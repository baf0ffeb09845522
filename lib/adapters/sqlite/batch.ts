import type { DatabaseSync } from 'node:sqlite'
import type { Followers, Outcome, Write } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { asProblem, mediumFailed } from './failure.ts'

/** So that one transaction does not hold the event loop for long; the rest waits for the next turn. */
const MOST_PER_TRANSACTION = 512

export type Change = { head: Write<Fields>; followers: Followers<Fields>; detail: boolean }
type Waiting = {
  change: Change
  resolve: (outcome: Outcome<Fields>) => void
  reject: (reason: unknown) => void
  result: { outcome: Outcome<Fields> } | { refused: unknown } | undefined
}
type Needs = {
  db: DatabaseSync
  /** Writes one change into the open transaction. */
  apply: (change: Change) => Outcome<Fields>
  /** Writes what is summed up over a transaction, or drops it when the transaction is rolled back. */
  totals: { flush: () => void; forget: () => void }
}

const settle = (batch: readonly Waiting[]) => {
  for (const { result, resolve, reject } of batch)
    if (result !== undefined && 'outcome' in result) resolve(result.outcome)
    else reject(result?.refused)
}

/** Runs the work in one transaction; when it throws nothing of it remains. */
const transactions = ({ db, totals }: Needs) => {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  return (work: () => void) => {
    begin.run()
    try {
      work()
      totals.flush()
      commit.run()
    } catch (thrown) {
      totals.forget()
      // Some failures (disk full, I/O) have rolled back already: https://sqlite.org/lang_transaction.html
      if (db.isTransaction) db.exec('ROLLBACK')
      throw thrown
    }
  }
}

/**
 * Group commit: the changes of one turn of the event loop share a transaction, hence one fsync, and hear their outcome
 * after it. They apply in order, each on what the ones before it left.
 */
export const groupCommit = (needs: Needs) => {
  const { db, apply } = needs
  const transaction = transactions(needs)
  let waiting: Waiting[] = []
  let scheduled = false

  const applyAll = (batch: readonly Waiting[]) => {
    for (const one of batch) one.result = { outcome: apply(one.change) }
  }

  /** Each change under a savepoint of its own: one that throws leaves no trace, the others go on. */
  const applyEach = (batch: readonly Waiting[]) => {
    for (const one of batch) {
      db.exec('SAVEPOINT one')
      try {
        one.result = { outcome: apply(one.change) }
      } catch (thrown) {
        if (mediumFailed(thrown)) throw thrown
        one.result = { refused: thrown }
        db.exec('ROLLBACK TO one')
      }
      db.exec('RELEASE one')
    }
  }

  /** Savepoints cost more than the writes, so they are taken only once a change has thrown: from the start again. */
  const write = (batch: readonly Waiting[]) => {
    try {
      transaction(() => applyAll(batch))
    } catch (thrown) {
      if (mediumFailed(thrown)) throw thrown
      transaction(() => applyEach(batch))
    }
  }

  const run = () => {
    const batch = waiting.length <= MOST_PER_TRANSACTION ? waiting : waiting.slice(0, MOST_PER_TRANSACTION)
    waiting = waiting.slice(batch.length)
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(run)
    if (batch.length === 0) return
    try {
      write(batch)
    } catch (thrown) {
      const refused = asProblem(thrown)
      for (const one of batch) one.result = { refused }
    }
    settle(batch)
  }

  return {
    commit: (change: Change): Promise<Outcome<Fields>> =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject, result: undefined })
        if (scheduled) return
        scheduled = true
        setImmediate(run)
      }),
    /** Writes at once whatever waits. */
    flush: (): void => {
      while (waiting.length > 0) run()
    },
  }
}
