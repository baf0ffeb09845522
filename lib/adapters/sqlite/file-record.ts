import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { OWNER_ONLY, PATIENCE_MS } from './database.ts'

/**
 * What a database records of itself, in one row whose page every transaction writes: so a log names its database. While
 * the service has the file open, its latest commits are in the log only; a closed file has all of them.
 */
export type FileRecord = { id: string; commits: number; isOpen: boolean }

/** Marks a database as open, in the transaction of a start; a new one gets a random id. */
export const markOpen = (db: DatabaseSync): void =>
  db.exec(`
    CREATE TABLE IF NOT EXISTS _commits (id TEXT NOT NULL, commits INTEGER NOT NULL, is_open INTEGER NOT NULL);
    INSERT INTO _commits SELECT lower(hex(randomblob(16))), 0, 1 WHERE NOT EXISTS (SELECT 1 FROM _commits);
    UPDATE _commits SET is_open = 1;
  `)

export const markClosed = (db: DatabaseSync): void => db.exec('UPDATE _commits SET is_open = 0')

/** Undefined for a database of another program, and for a new one. */
export const readFileRecord = (db: DatabaseSync): FileRecord | undefined => {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_commits'`)
  if (table.get() === undefined) return undefined
  const { id, commits, is_open } = db.prepare('SELECT * FROM _commits').get() ?? {}
  return { id: String(id), commits: Number(commits), isOpen: is_open === 1 }
}

/**
 * Copies the log into the file, so that the file itself says that it is open and is known to be incomplete without its
 * log. Throws Problem `unavailable` `storage_busy` when another program reads the file for too long: later commits would
 * be in the log of a file that is marked as closed.
 */
export const checkpointOpenMark = (db: DatabaseSync): void => {
  const { timeout } = db.prepare('PRAGMA busy_timeout').get() ?? {}
  db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  const isWhole = checkpointAll(db, 'FULL')
  db.exec(`PRAGMA busy_timeout = ${timeout}`)
  if (!isWhole)
    throw new Problem(
      'unavailable',
      'storage_busy',
      'The data file is being read by another program, such as a backup: start again when that has ended.',
    )
}

/**
 * Checkpoints the log, then marks the file as closed: a mark that is written with commits could be in the file before
 * them. Returns false when another program reads the log: then the log stays, and possibly the mark that the file is open.
 */
export const checkpointAndMarkClosed = (db: DatabaseSync): boolean => {
  if (!checkpointAll(db, 'TRUNCATE')) return false
  markClosed(db)
  return checkpointAll(db, 'TRUNCATE')
}

/** Whether the whole log is in the file now; false when a reader prevented it for longer than the connection waits. */
const checkpointAll = (db: DatabaseSync, how: 'FULL' | 'TRUNCATE'): boolean =>
  db.prepare(`PRAGMA wal_checkpoint(${how})`).get()?.busy === 0

/** A fixed number of digits and a line end: always the same bytes of the file, so that a write allocates nothing. */
const DIGITS = 16

/**
 * The file beside a database with the number of its commits. It is written after each commit without a sync: after any
 * crash the database is not behind it, unless it lost commits.
 */
export const countFile = (file: string): string => `${file}-commits`

/** The number in the file beside a database; undefined without a readable one. */
export const countedCommits = (file: string): number | undefined => {
  try {
    const [, digits] = /^(\d+)\n$/.exec(readFileSync(countFile(file), 'latin1')) ?? []
    return digits === undefined ? undefined : Number(digits)
  } catch {
    return undefined
  }
}

const countText = (commits: number) => `${String(commits).padStart(DIGITS, '0')}\n`

/** Creates the file beside a database. Throws the system's error. */
export const writeCount = (file: string, commits: number): void =>
  writeFileSync(countFile(file), countText(commits), { mode: OWNER_ONLY })

/** A closed database is complete without its log, so its count is not needed. */
export const removeCountFile = (file: string): void => rmSync(countFile(file), { force: true })

/** Counts the commits of a file's only writer, in the database and, with a file, beside it. */
export const openCommitCount = (db: DatabaseSync, file: string | undefined) => {
  const update = db.prepare('UPDATE _commits SET commits = ?')
  let commits = readFileRecord(db)?.commits ?? 0
  if (file !== undefined) writeCount(file, commits)
  const beside = file === undefined ? undefined : openSync(countFile(file), 'r+')
  return {
    beforeCommit: (): void => void update.run(commits + 1),
    durable: (): void => {
      commits += 1
      try {
        if (beside !== undefined) writeSync(beside, countText(commits), 0)
      } catch {
        // The commit is durable anyway; an old count only detects less.
      }
    },
    [Symbol.dispose]: (): void => {
      if (beside !== undefined) closeSync(beside)
    },
  }
}
