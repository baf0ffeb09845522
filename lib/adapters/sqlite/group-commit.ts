import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { DataFile } from './data-file.ts'
import { asProblem, BUSY, isMediumFault, resultCode } from './database.ts'

/** Keeps a transaction short, since it holds the event loop; further commits go into the next one. */
const MOST_COMMITS = 128
const MOST_CHARACTERS = 4_000_000

/** Another program may hold the lock for a quarter of a second: each try waits 20 ms in SQLite, then by a timer. */
const LOCK_TRIES = 6
const RETRY_LOCK_MS = 25

/** Takes part in every batch. Batches do not overlap. */
type Participant = {
  /** All commits are written: the last chance to write. */
  beforeCommit?(): void
  /** Nothing of the open batch remains. */
  rolledBack?(): void
  /** The batch is durable, and readers see it. */
  durable?(): void
}

/** `decide` reads and writes in the open transaction; what it throws rejects this job alone. */
type Job = { decide: () => unknown; resolve: (outcome: unknown) => void; reject: (reason: unknown) => void }
type Decided = { job: Job; outcome: unknown }

/** A rejected `sync` is final. */
type Needs = Pick<DataFile, 'db' | 'sync' | 'checkpoint'> & { participants: readonly Participant[] }

/**
 * Group commit. The commits of one turn of the event loop, and of the time in which an earlier batch is synced, share a
 * transaction and its sync: it begins, decides and writes each commit and ends in one synchronous step, is synced outside
 * of the event loop, and then its callers hear of it. A commit that throws is taken out: the transaction is rolled back
 * and repeated without it in the next turn, since many that throw would hold the event loop.
 */
export const createGroupCommit = ({ db, participants, sync, checkpoint }: Needs) => {
  /** Batches go on from one caller to the next: their deliveries must not run in the trace or the agent of the first. */
  const outsideOfCallers = AsyncLocalStorage.snapshot()
  const begin = db.prepare('BEGIN IMMEDIATE')
  const end = db.prepare('COMMIT')
  let queue: Job[] = []
  let running: Promise<void> | undefined
  let isFailing = false
  /** Set by a failed sync. */
  let lost: { reason: unknown } | undefined
  let characters = 0
  let deciding: Job | undefined

  const rollBack = () => {
    // Some failures (disk full, I/O) have rolled back already: https://sqlite.org/lang_transaction.html
    if (db.isTransaction) db.exec('ROLLBACK')
    for (const one of participants) one.rolledBack?.()
  }

  const beginTransaction = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1)
      try {
        begin.run()
        return
      } catch (thrown) {
        if (resultCode(thrown) !== BUSY || tries === LOCK_TRIES) throw thrown
        await sleep(RETRY_LOCK_MS)
      }
  }

  /** Decides jobs in the open transaction, as many as fit, and commits. When it throws, `deciding` is the job that did. */
  const decideAndCommit = (jobs: readonly Job[]): Decided[] => {
    characters = 0
    const decided: Decided[] = []
    for (const job of jobs) {
      if (characters >= MOST_CHARACTERS) break
      deciding = job
      decided.push({ job, outcome: job.decide() })
    }
    deciding = undefined
    for (const one of participants) one.beforeCommit?.()
    end.run()
    return decided
  }

  const rejectAll = (jobs: readonly Job[], thrown: unknown): Decided[] => {
    isFailing = true
    for (const { reject } of jobs) reject(asProblem(thrown))
    return []
  }

  /** Commits a batch without the jobs that throw, and returns it; rejects all of it when the transaction fails. */
  const commitBatch = async (): Promise<Decided[]> => {
    const jobs = queue.splice(0, MOST_COMMITS)
    while (jobs.length > 0) {
      try {
        await beginTransaction()
        const decided = decideAndCommit(jobs)
        queue = [...jobs.slice(decided.length), ...queue]
        return decided
      } catch (thrown) {
        rollBack()
        const failed = deciding
        deciding = undefined
        if (failed === undefined || isMediumFault(thrown)) return rejectAll(jobs, thrown)
        failed.reject(thrown)
        jobs.splice(jobs.indexOf(failed), 1)
        await nextTurn()
      }
    }
    return []
  }

  const settle = async (batch: readonly Decided[]) => {
    try {
      await sync()
    } catch (reason) {
      lost = { reason }
      for (const { job } of batch) job.reject(reason)
      return
    }
    isFailing = false
    for (const one of participants) one.durable?.()
    for (const { job, outcome } of batch) job.resolve(outcome)
    await checkpoint().catch((reason) => {
      lost = { reason }
    })
  }

  const run = async () => {
    while (queue.length > 0) {
      await nextTurn()
      if (lost) for (const { reject } of queue.splice(0)) reject(lost.reason)
      const batch = await commitBatch()
      if (batch.length > 0) await settle(batch)
    }
    running = undefined
  }

  return {
    /** Resolves to the result of `decide` when its batch is durable. */
    commit: <T>(decide: () => T): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        queue.push({ decide, resolve: resolve as Job['resolve'], reject })
        running ??= outsideOfCallers(run)
      }),
    /** Adds the length of a written text to that of the batch. */
    countWritten: (length: number): void => {
      characters += length
    },
    /** False after a failed transaction, until one succeeds. */
    get isWritable(): boolean {
      return !isFailing && lost === undefined
    },
    /** Whether a sync has failed: the file must not be closed. */
    get isLost(): boolean {
      return lost !== undefined
    },
    /** Resolves when nothing waits to be written. */
    drained: async (): Promise<void> => running,
  }
}
