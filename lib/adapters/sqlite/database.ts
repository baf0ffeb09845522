import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage, Problem } from '../../core/errors.ts'
import { fold } from '../../core/fold.ts'

/** How long to wait for a lock that another program holds briefly: in a start, a checkpoint, or a short read. */
export const PATIENCE_MS = 5_000

/**
 * 4 MB of cache per connection. NORMAL syncs the log before a checkpoint and when it starts over, not at each commit:
 * `data-file.ts` does that, and checkpoints. The log keeps its size, since growing it makes syncs slower. A wait for
 * a lock stops the event loop, so it is short.
 */
const PRAGMAS = `
  PRAGMA busy_timeout = 20;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -4096;
  PRAGMA mmap_size = 0;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 67108864;
`

/** Opens a file or `:memory:`; throws Problem `unavailable` when the medium refuses it. */
export const openDatabase = (file: string): DatabaseSync => {
  try {
    if (file !== ':memory:') keepPrivate(file)
    const db = new DatabaseSync(file)
    try {
      if (file !== ':memory:') db.exec(PRAGMAS)
      db.function('_has', { deterministic: true }, (text, folded) =>
        typeof text === 'string' && fold(text).includes(String(folded)) ? 1 : 0,
      )
      return db
    } catch (thrown) {
      db.close()
      throw thrown
    }
  } catch (thrown) {
    throw asProblem(thrown)
  }
}

/** The first damage that SQLite finds in a database; undefined for a valid one. */
export const findDamage = (db: DatabaseSync): string | undefined => {
  const found = String(db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check)
  return found === 'ok' ? undefined : found
}

export const OWNER_ONLY = 0o600
const ANYBODY_ELSE = 0o077

/**
 * Makes a database file private to its owner, new or existing, whatever its folder; SQLite gives its other files the same
 * mode. Failures here show in SQLite, with a better message. An existing file is not opened: closing it would drop this
 * process's locks on it (POSIX).
 */
export const keepPrivate = (file: string): void => {
  attempt(() => closeSync(openSync(file, 'wx', OWNER_ONLY)))
  for (const beside of ['', '-wal', '-shm', '-journal', '-commits'])
    attempt(() => {
      if ((statSync(file + beside).mode & ANYBODY_ELSE) !== 0) chmodSync(file + beside, OWNER_ONLY)
    })
}

const attempt = (step: () => void): void => {
  try {
    step()
  } catch {
    // The file is missing, exists already, or belongs to another user.
  }
}

/** Another connection has the lock. */
export const BUSY = 5
/**
 * Primary result codes (https://sqlite.org/rescode.html) of faults of the file, the disk or the memory, not the
 * statement.
 */
const MEDIUM: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

/** The primary result code of an SQLite error; undefined for every other error. */
export const resultCode = (thrown: unknown): number | undefined =>
  typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & 0xff
    : undefined

/** Whether an error is a fault of the file, the disk or the memory. */
export const isMediumFault = (thrown: unknown): boolean => MEDIUM.has(resultCode(thrown) ?? 0)

/** The error in the port's form: Problem `unavailable` when the medium failed, else the error itself. */
export const asProblem = (thrown: unknown): unknown =>
  isMediumFault(thrown)
    ? new Problem('unavailable', 'storage_unavailable', `Storage is unavailable: ${errorMessage(thrown)}.`, {
        cause: thrown,
      })
    : thrown
