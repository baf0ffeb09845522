import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Log } from '../../ports/log.ts'
import { recordWithoutLog } from './check-log.ts'
import { asProblem, openDatabase } from './database.ts'
import {
  checkpointAndMarkClosed,
  checkpointOpenMark,
  openCommitCount,
  readFileRecord,
  removeCountFile,
} from './file-record.ts'
import type { Plan } from './plan.ts'
import { grow } from './schema.ts'

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
const syncLeftFiles = (file: string): void => {
  for (const left of [`${file}-wal`, file]) {
    let descriptor: number
    try {
      descriptor = openSync(left, 'r+')
    } catch {
      // The file is missing, or its error shows in SQLite with a better message.
      continue
    }
    try {
      fdatasyncSync(descriptor)
    } catch (thrown) {
      throw lost(thrown)
    } finally {
      closeSync(descriptor)
    }
  }
}

type Options = {
  onLost?: ((reason: unknown) => void) | undefined
  syncFile?: SyncFile | undefined
  log?: Pick<Log, 'error'> | undefined
}

/** Ends the process as an uncaught error does. */
const throwUncaught = (reason: unknown) =>
  queueMicrotask(() => {
    throw reason
  })

/** The place of the rows: the only writer commits on `db`, and `reader` sees what is durable. */
export type DataFile = {
  db: DatabaseSync
  reader: DatabaseSync
  count: ReturnType<typeof openCommitCount>
  /** Resolves when all commits are durable and readers see them. */
  sync(): Promise<void>
  /** Runs between batches. */
  checkpoint(): Promise<void>
  close(): void
}

/** For `:memory:`: nothing is durable, and readers share the connection. */
export const openMemory = (plans: readonly Plan[]): DataFile => {
  const db = openDatabase(':memory:')
  const nothing = async () => undefined
  grow(db, plans)
  const count = openCommitCount(db, undefined)
  return { db, reader: db, count, sync: nothing, checkpoint: nothing, close: () => db.close() }
}

/**
 * Opens a file, and marks it as open. Its writer commits to the log (https://sqlite.org/wal.html) without a sync; `sync`
 * makes that durable in the thread pool and then moves the reader on, a second connection whose open transaction is pinned
 * to the last durable commit: nothing is read that a power cut could take back.
 *
 * A failed sync is final, since the kernel may have dropped the pages: `onLost` is called, and the process must end
 * without closing the file, since SQLite would copy pages of the log into it and remove the log.
 */
export const openDataFile = (file: string, plans: readonly Plan[], options: Options): DataFile => {
  syncLeftFiles(file)
  const wasOpen = recordWithoutLog(file)?.isOpen === true
  // Closing a file drops this process's locks on it (POSIX), so the descriptors are closed after the connections.
  using descriptors = new DisposableStack()
  using connections = new DisposableStack()
  const openToSync = (name: string) => descriptors.adopt(openSync(name, 'r+'), closeSync)
  const connect = () => connections.adopt(openDatabase(file), (db) => db.isOpen && db.close())
  try {
    const db = connect()
    const isMarkedOpen = wasOpen && readFileRecord(db)?.isOpen === true
    grow(db, plans)
    // From here on a file without its log is known to have lost it.
    const count = descriptors.use(openCommitCount(db, file))
    if (!isMarkedOpen) checkpointOpenMark(db)
    const reader = connect()
    const log = openPinnedLog(db, reader, [openToSync(`${file}-wal`), openToSync(file)], options)
    const opened = [connections.move(), descriptors.move()]
    const close = () => {
      // The whole log can be checkpointed only without a reader.
      reader.close()
      try {
        if (checkpointAndMarkClosed(db)) removeCountFile(file)
      } finally {
        for (const each of opened) each.dispose()
      }
    }
    return { db, reader, count, ...log, close }
  } catch (thrown) {
    throw asProblem(thrown)
  }
}

/** The syncs of a log by its descriptor and that of its file. `reader` stays at the last durable commit. */
const openPinnedLog = (
  db: DatabaseSync,
  reader: DatabaseSync,
  [log, data]: readonly [number, number],
  { onLost = throwUncaught, syncFile = fdatasyncInPool, log: logger }: Options,
): Pick<DataFile, 'sync' | 'checkpoint'> => {
  const beginRead = reader.prepare('BEGIN')
  const firstRead = reader.prepare('SELECT commits FROM _commits')
  const endRead = reader.prepare('COMMIT')
  let batches = 0

  const pin = () => {
    beginRead.run()
    firstRead.get()
  }

  /** Syncs a file and moves the reader on. A failure is final. */
  const sync = async (descriptor: number): Promise<void> => {
    try {
      await syncFile(descriptor)
      endRead.run()
      pin()
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
    sync: () => sync(log),
    /** After enough batches: copies the log into the file, and lets the next commit start the log over. */
    checkpoint: async () => {
      batches += 1
      if (batches < WORTH_A_CHECKPOINT) return
      batches = 0
      copyIntoFile()
      await sync(data)
    },
  }
}
