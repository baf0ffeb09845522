import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Log } from '../../ports/log.ts'
import { openDatabase } from './database.ts'

/** Syncs the data of an open file. */
export type SyncFile = (descriptor: number) => Promise<void>

const fdatasyncInPool: SyncFile = promisify(fdatasync)

/** The batches in the log that are worth the sync of a checkpoint. */
const WORTH_A_CHECKPOINT = 16

const lost = (thrown: unknown) =>
  new Problem(
    'unavailable',
    'storage_unavailable',
    `Storage is unavailable: its log could not be synced (${errorMessage(thrown)}).`,
    { cause: thrown },
  )

/**
 * Syncs what a killed process left without a sync: commits in the log, which readers would see, and a checkpoint, after
 * which SQLite may start the log over. Call it before the file is opened: closing a file drops this process's locks on it
 * (POSIX). Throws Problem `unavailable` when a sync fails.
 */
export const syncLeftFiles = (file: string): void => {
  for (const left of [`${file}-wal`, file]) {
    const descriptor = openIfPossible(left)
    if (descriptor === undefined) continue
    try {
      fdatasyncSync(descriptor)
    } catch (thrown) {
      throw lost(thrown)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** Undefined for a missing file, and for one that cannot be opened, which shows in SQLite with a better message. */
const openIfPossible = (file: string): number | undefined => {
  try {
    return openSync(file, 'r+')
  } catch {
    return undefined
  }
}

type Options = {
  onLost: ((reason: unknown) => void) | undefined
  syncFile: SyncFile | undefined
  log: Pick<Log, 'error'> | undefined
}

/** Ends the process as an uncaught error does. */
const throwUncaught = (reason: unknown) =>
  queueMicrotask(() => {
    throw reason
  })

export type WriteAheadLog = ReturnType<typeof openWriteAheadLog>

/**
 * The log of a data file (https://sqlite.org/wal.html). The only writer commits on `db` without a sync; `sync` makes it
 * durable in the thread pool and then moves `reader` on, a second connection whose open transaction is pinned to the last
 * durable commit: nothing is read that a power cut could take back.
 *
 * A failed sync is final, since the kernel may have dropped the pages: `onLost` is called, and the process must end
 * without closing the file, since SQLite would copy pages of the log into it and remove the log.
 */
export const openWriteAheadLog = (
  db: DatabaseSync,
  file: string,
  { onLost = throwUncaught, syncFile = fdatasyncInPool, log: logger }: Options,
) => {
  const log = openSync(`${file}-wal`, 'r+')
  const data = openSync(file, 'r+')
  const reader = openDatabase(file)
  const beginRead = reader.prepare('BEGIN')
  const firstRead = reader.prepare('SELECT commits FROM _commits')
  const endRead = reader.prepare('COMMIT')
  let batches = 0

  const pin = () => {
    beginRead.run()
    firstRead.get()
  }
  const moveReader = () => {
    endRead.run()
    pin()
  }

  /** Runs a step; its failure is final. */
  const orLost = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step()
    } catch (thrown) {
      const reason = lost(thrown)
      onLost(reason)
      throw reason
    }
  }

  const copyIntoFile = () => {
    db.exec('PRAGMA synchronous = OFF')
    try {
      db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (thrown) {
      // The log is durable and grows until a checkpoint succeeds.
      logger?.error(
        { reason: errorMessage(thrown) },
        'the write-ahead log could not be copied into the data file',
      )
    } finally {
      db.exec('PRAGMA synchronous = NORMAL')
    }
  }

  pin()
  return {
    reader,
    /** Resolves when all commits are durable and readers see them. */
    sync: () =>
      orLost(async () => {
        await syncFile(log)
        moveReader()
      }),
    /**
     * After enough batches: copies the log into the file, syncs the file in the thread pool, and lets the next commit
     * start the log over. No commit may come in between.
     */
    checkpoint: () =>
      orLost(async () => {
        batches += 1
        if (batches < WORTH_A_CHECKPOINT) return
        batches = 0
        copyIntoFile()
        await syncFile(data)
        moveReader()
      }),
    /** Ends reads, so that the whole log can be checkpointed. */
    closeReader: (): void => reader.close(),
    /** Only after `db` is closed: closing a file drops this process's locks on it (POSIX). */
    closeFiles: (): void => {
      closeSync(log)
      closeSync(data)
    },
  }
}

/** For `:memory:`: nothing is durable, and readers share the connection. */
export const openMemoryLog = (db: DatabaseSync): WriteAheadLog => ({
  reader: db,
  sync: async () => undefined,
  checkpoint: async () => undefined,
  closeReader: () => undefined,
  closeFiles: () => undefined,
})
