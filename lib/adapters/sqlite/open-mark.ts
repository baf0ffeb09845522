import { closeSync, openSync, readSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { PATIENCE_MS } from './database.ts'

/** `ATSo` and `ATSc` as application ids, by which tools recognise the file (https://sqlite.org/fileformat2.html). */
const OPEN = 0x4154536f
const CLOSED = 0x41545363

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const READ_VERSION_AT = 19
const WAL_VERSION = 2
const APPLICATION_ID_AT = 68

/**
 * `isOpen`: the service has not closed the file. `isClosed`: it has, and every commit is in the file itself; a file
 * without a mark was never opened to its end. `keepsLog`: changes go to a write-ahead log first.
 */
export type Header = { isOpen: boolean; isClosed: boolean; keepsLog: boolean }

/**
 * The header of a data file without its log; undefined for a missing or empty file, or one that is no database. Must not
 * be called while this process has the file open: closing it would drop the locks on it (POSIX).
 */
export const readHeader = (file: string): Header | undefined => {
  const header = firstBytes(file)
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  const id = header.readUInt32BE(APPLICATION_ID_AT)
  return {
    isOpen: id === OPEN,
    isClosed: id === CLOSED,
    keepsLog: header[READ_VERSION_AT] === WAL_VERSION,
  }
}

const firstBytes = (file: string): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES)
  try {
    const opened = openSync(file, 'r')
    try {
      readSync(opened, bytes, 0, HEADER_BYTES, 0)
    } finally {
      closeSync(opened)
    }
  } catch {
    // A failure here shows in SQLite, with a better message.
  }
  return bytes
}

/**
 * Marks a file as open, in the file itself and not only in its log, so that it is known to be incomplete without its log.
 * The log is durable before the mark, and never empty until the file is closed. Throws Problem `unavailable`
 * `storage_busy` when another program reads the file so long that the mark cannot be written: later commits would be in
 * the log of a file that is marked as closed.
 */
export const markOpen = (db: DatabaseSync): void => {
  mark(db, OPEN)
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

/** Whether a file is marked as open, and its log, if there is one, agrees. */
export const isMarkedOpen = (db: DatabaseSync, header: Header | undefined): boolean =>
  header?.isOpen === true && db.prepare('PRAGMA application_id').get()?.application_id === OPEN

/** Marks a file without a log as closed. */
export const markClosed = (db: DatabaseSync): void => mark(db, CLOSED)

/**
 * Checkpoints the log, then marks the file as closed: a checkpoint writes the first page first, so a mark that is written
 * with commits would be in the file before them. Returns false when another program reads the log: then the log stays,
 * and possibly the mark that the file is open.
 */
export const checkpointAndMarkClosed = (db: DatabaseSync): boolean => {
  if (!checkpointAll(db, 'TRUNCATE')) return false
  markClosed(db)
  return checkpointAll(db, 'TRUNCATE')
}

const mark = (db: DatabaseSync, id: number) => db.exec(`PRAGMA application_id = ${id}`)

/** Whether the whole log is in the file now; false when a reader prevented it for longer than the connection waits. */
const checkpointAll = (db: DatabaseSync, how: 'FULL' | 'TRUNCATE'): boolean =>
  db.prepare(`PRAGMA wal_checkpoint(${how})`).get()?.busy === 0
