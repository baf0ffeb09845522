import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Participant } from './group-commit.ts'

/** A fixed number of digits and a line end: always the same bytes of the file, so that a write allocates nothing. */
const DIGITS = 16
const OWNER_ONLY = 0o600

/**
 * The record beside a database of the number of its transactions. It is written after each commit without a sync: after
 * any crash the database is not behind the record, unless it lost commits.
 */
export const recordFile = (file: string): string => `${file}-commits`

/**
 * Adds the table that counts transactions to a database without one. It also gives the database a random id: every commit
 * writes its page, so a log names its database.
 */
export const createCommitCount = (db: DatabaseSync): void =>
  db.exec(`
    CREATE TABLE IF NOT EXISTS commit_count (commits INTEGER NOT NULL, database_id TEXT NOT NULL);
    INSERT INTO commit_count SELECT 0, lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM commit_count);
  `)

/** `databaseId` is undefined for a database that does not count its transactions yet. */
export type Counted = { commits: number; databaseId?: string }

/** The number of transactions in the database, and its id. */
export const countedIn = (db: DatabaseSync): Counted => {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'commit_count'`)
  if (table.get() === undefined) return { commits: 0 }
  const { commits, database_id } = db.prepare('SELECT commits, database_id FROM commit_count').get() ?? {}
  return { commits: Number(commits ?? 0), databaseId: String(database_id) }
}

/** The recorded number of transactions; undefined without a readable record. */
export const recordedCommits = (file: string): number | undefined => {
  try {
    const [, digits] = /^(\d+)\n$/.exec(readFileSync(recordFile(file), 'latin1')) ?? []
    return digits === undefined ? undefined : Number(digits)
  } catch {
    return undefined
  }
}

const openRecord = (file: string): number =>
  openSync(recordFile(file), constants.O_CREAT | constants.O_WRONLY, OWNER_ONLY)

const writeRecord = (note: number, commits: number): void => {
  writeSync(note, `${String(commits).padStart(DIGITS, '0')}\n`, 0)
}

/** Records the number of transactions; throws the system's error when that fails. */
export const recordCommits = (file: string, commits: number): void => {
  const note = openRecord(file)
  try {
    writeRecord(note, commits)
  } finally {
    closeSync(note)
  }
}

/** The database is complete without its log, so the record is not needed. */
export const dropRecord = (file: string): void => rmSync(recordFile(file), { force: true })

/** Counts the transactions of a file's only writer, in the database and, with a file, in the record. */
export const openCommitCount = (db: DatabaseSync, file: string | undefined) => {
  const count = db.prepare('UPDATE commit_count SET commits = ?')
  const record = file === undefined ? undefined : openRecord(file)
  let { commits } = countedIn(db)
  return {
    beforeCommit: (): void => void count.run(commits + 1),
    rolledBack: () => undefined,
    durable: (): void => {
      commits += 1
      try {
        if (record !== undefined) writeRecord(record, commits)
      } catch {
        // The commit is durable anyway; an old record only detects less.
      }
    },
    close: (): void => {
      if (record !== undefined) closeSync(record)
    },
  } satisfies Participant & { close(): void }
}
