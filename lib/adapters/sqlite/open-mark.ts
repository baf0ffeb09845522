import { closeSync, openSync, readSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { PATIENCE_MS } from './database.ts'

/** `ATSo` and `ATSc` as application ids, by which tools know whose file it is (https://sqlite.org/fileformat2.html). */
const OPEN = 0x4154536f
const CLOSED = 0x41545363

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const READ_VERSION_AT = 19
const WAL_VERSION = 2
const APPLICATION_ID_AT = 68

/**
 * `isOpen`: the service has not closed the file. `isClosed`: it has, and every commit is in the file itself; a file without
 * either mark is of an earlier version. `keepsLog`: its changes go to a write-ahead log first.
 */
export type Header = { isOpen: boolean; isClosed: boolean; keepsLog: boolean }

/**
 * What a data file says of itself without its log; undefined when it is missing, empty or no database. Not to be called
 * while this process has the file open: closing it would drop the locks on it (POSIX).
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
    // What cannot be read here fails in SQLite, which says it better.
  }
  return bytes
}

/**
 * Marks a file as open, in the file itself and not in its log alone: without its log it is known to be incomplete. The
 * log is durable before the mark is, and is never empty from then on until the file is closed. Throws Problem `unavailable`
 * `storage_busy` when another program reads the file for so long that the mark cannot be written to it: a commit after
 * that would be in the log of a file that says that it is closed.
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

/** Whether a file is marked as open, and its log, if there is one, does not say otherwise. */
export const isMarkedOpen = (db: DatabaseSync, header: Header | undefined): boolean =>
  header?.isOpen === true && db.prepare('PRAGMA application_id').get()?.application_id === OPEN

/** Marks a file that has no log as closed. */
export const markClosed = (db: DatabaseSync): void => mark(db, CLOSED)

/**
 * Checkpoints the log, then marks the file as closed: a checkpoint writes the first page first, so that a mark which is
 * written with commits would be there before they are. Returns false when another program reads the log: it stays then,
 * and so may the mark that the file is open.
 */
export const checkpointAndMarkClosed = (db: DatabaseSync): boolean => {
  if (!checkpointAll(db, 'TRUNCATE')) return false
  markClosed(db)
  return checkpointAll(db, 'TRUNCATE')
}

const mark = (db: DatabaseSync, id: number) => db.exec(`PRAGMA application_id = ${id}`)

/** Whether the whole log is in the file now; false when a reader kept it from that for longer than the connection waits. */
const checkpointAll = (db: DatabaseSync, how: 'FULL' | 'TRUNCATE'): boolean =>
  db.prepare(`PRAGMA wal_checkpoint(${how})`).get()?.busy === 0
