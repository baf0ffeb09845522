import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** So many digits and a line end: always the same bytes of the file, so that writing them allocates nothing. */
const DIGITS = 16
const OWNER_ONLY = 0o600

/**
 * The file beside a database that says how many transactions the database has taken. It is written after each commit and
 * not synced: after any crash the database is not behind it, and one that is has lost commits.
 */
export const recordFileOf = (file: string): string => `${file}-commits`

/**
 * Adds the table that counts transactions to a database that has none. It also names the database, at random: every commit
 * writes the page that this is on, so that a log says whose it is.
 */
export const createCommitCount = (db: DatabaseSync): void =>
  db.exec(`
    CREATE TABLE IF NOT EXISTS commit_count (commits INTEGER NOT NULL, database_id TEXT NOT NULL);
    INSERT INTO commit_count SELECT 0, lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM commit_count);
  `)

/** `databaseId` is undefined for a database that does not count its transactions yet. */
export type Counted = { commits: number; databaseId?: string }

/** How many transactions the database says it has taken, and which database it is. */
export const countedIn = (db: DatabaseSync): Counted => {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'commit_count'`)
  if (table.get() === undefined) return { commits: 0 }
  const { commits, database_id } = db.prepare('SELECT commits, database_id FROM commit_count').get() ?? {}
  return { commits: Number(commits ?? 0), databaseId: String(database_id) }
}

/** How many transactions were recorded; undefined when there is no note, or none that can be read. */
export const recordedCommits = (file: string): number | undefined => {
  try {
    const [, digits] = /^(\d+)\n$/.exec(readFileSync(recordFileOf(file), 'latin1')) ?? []
    return digits === undefined ? undefined : Number(digits)
  } catch {
    return undefined
  }
}

const openRecord = (file: string): number =>
  openSync(recordFileOf(file), constants.O_CREAT | constants.O_WRONLY, OWNER_ONLY)

const writeRecord = (note: number, commits: number): void => {
  writeSync(note, `${String(commits).padStart(DIGITS, '0')}\n`, 0)
}

/** Notes how many transactions there are; throws what the system says when that cannot be written. */
export const recordCommits = (file: string, commits: number): void => {
  const note = openRecord(file)
  try {
    writeRecord(note, commits)
  } finally {
    closeSync(note)
  }
}

/** The database is whole without its log: there is nothing to tell any more. */
export const dropRecord = (file: string): void => rmSync(recordFileOf(file), { force: true })

export type CommitCount = ReturnType<typeof openCommitCount>

/** Counts the transactions of the only writer of a file. */
export const openCommitCount = (db: DatabaseSync, file: string) => {
  const count = db.prepare('UPDATE commit_count SET commits = ?')
  const note = openRecord(file)
  let { commits } = countedIn(db)
  return {
    /** Counts the transaction that is open, as a part of it. */
    add: (): void => {
      count.run(commits + 1)
    },
    /** The transaction is durable. */
    committed: (): void => {
      commits += 1
      try {
        writeRecord(note, commits)
      } catch {
        // The commit is durable all the same; a note that lags behind only sees less.
      }
    },
    close: (): void => closeSync(note),
  }
}
