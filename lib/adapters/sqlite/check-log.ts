import { closeSync, openSync, readSync, statSync } from 'node:fs'
import * as path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { errorMessage, Problem } from '../../core/errors.ts'
import { type Counted, countedIn, recordCommits, recordedCommits, recordFile } from './commit-count.ts'
import { asProblem, PATIENCE_MS, resultCode } from './database.ts'
import { type Header, readHeader } from './open-mark.ts'

/** https://sqlite.org/fileformat2.html#wal_header: the last bit is the byte order of its checksums. */
const WAL_MAGIC = 0x377f0682
const WAL_HEADER_BYTES = 32

/** https://sqlite.org/rescode.html#corrupt */
const CORRUPT = 11

type Log = 'there' | 'missing' | 'empty' | 'cut'

/**
 * Checks a data file for its write-ahead log before it is opened: without the log SQLite opens the file silently, and all
 * of the log's commits are lost. Changes nothing. Returns a description of the loss if the operator accepts it, undefined
 * if there is none. Throws Problem `unavailable`: `data_lost` for a loss that is not accepted, `foreign_log` for the log
 * of another file or a later time, `storage_damaged` when the rest is no valid database.
 *
 * It detects a missing or empty log beside a file that was not closed, and a log without commits that were recorded.
 * After a power cut the record may be some seconds old, and a log that lost only later commits is not detected.
 */
export const checkLog = (file: string, acceptLoss: boolean): string | undefined => {
  const loss = describeLoss(file)
  if (loss === undefined) return undefined
  if (!acceptLoss)
    throw new Problem(
      'unavailable',
      'data_lost',
      `${loss}. Put the log back, restore a backup into an empty folder, or start once with ACCEPT_DATA_LOSS=1 to go on without what is lost.`,
    )
  if (readHeader(file)) refuseDamaged(file)
  recordCommits(file, countCommits(file))
  return loss
}

const describeLoss = (file: string): string | undefined => {
  const header = readHeader(file)
  const log = logState(file)
  const recorded = recordedCommits(file)
  if (header === undefined) return lossWithout(file, log, recorded)
  if (!header.keepsLog && log !== 'missing' && log !== 'empty') throw foreign(file)
  // The second look is for backups: the service may have started while its file was read.
  if (header.isClosed && log === 'there' && !fitsLog(file) && readHeader(file)?.isClosed) throw foreign(file)
  if (log === 'there' && isOfAnother(file)) throw foreign(file)
  return lossBeside(file, header, log, recorded)
}

/** The loss of a missing or empty log, or one that SQLite refuses. */
const lossWithout = (file: string, log: Log, recorded = 0): string | undefined =>
  fileSize(file) === 0 && (log === 'there' || recorded > 0)
    ? `The data file ${file} is missing or empty, and what was beside it is there`
    : undefined

const lossBeside = (file: string, { isOpen }: Header, log: Log, recorded?: number): string | undefined => {
  const isBehind = isOpen && log !== 'there'
  if (recorded === undefined) return isBehind ? unclosed(file, log) : undefined
  const missing = recorded - countCommits(file)
  if (missing > 0) return lost(file, missing, log)
  // Another program may have checkpointed the log of a dead service: then the file has all recorded commits, and at most
  // the last one that was not recorded.
  return isBehind && missing < -1 ? unclosed(file, log) : undefined
}

/**
 * Whether a log can belong to a file that is marked as closed: such a file has every commit, so the log adds none, and
 * both together are a valid database. A file that is unreadable without the log is checked with it: a power cut may have
 * torn it during a start's write, which the log repairs.
 */
const fitsLog = (file: string): boolean => {
  const withLog = unlessDamaged(() => countCommits(file))
  const without = withoutLog(file)?.commits ?? withLog
  return withLog !== undefined && withLog === without && unlessDamaged(() => checkIntegrity(file)) === SOUND
}

/** Whether file and log belong to different databases: a log that has every page of another file is not this one's. */
const isOfAnother = (file: string): boolean => {
  const own = withoutLog(file)?.databaseId
  const joined = unlessDamaged(() => reading(file, countedIn))?.databaseId
  return own !== undefined && joined !== undefined && own !== joined
}

const withoutLog = (file: string): Counted | undefined =>
  unlessDamaged(() => reading(file, countedIn, 'without log'))

const lost = (file: string, missing: number, log: Log) => {
  const what =
    missing === 1 ? `The last commit of ${file} is lost` : `The last ${missing} commits of ${file} are lost`
  const state = log === 'there' ? 'cut or damaged, or from an earlier moment' : log
  return `${what}: its write-ahead log ${logName(file)} is ${state}`
}

const unclosed = (file: string, log: Log) =>
  `The data file ${file} was not closed, and its write-ahead log ${logName(file)} is ${log}: the last changes were in it`

const foreign = (file: string) =>
  new Problem(
    'unavailable',
    'foreign_log',
    `The data file ${file} was put beside a write-ahead log that is not its own: move ${logName(file)}, ${path.basename(file)}-shm and ${path.basename(recordFile(file))} out of the folder, or restore into an empty one.`,
  )

const logName = (file: string) => path.basename(`${file}-wal`)

/** Bytes of a file; 0 for a missing one. */
const fileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const logState = (file: string): Log => {
  const log = `${file}-wal`
  if (statSync(log, { throwIfNoEntry: false }) === undefined) return 'missing'
  const size = fileSize(log)
  if (size === 0) return 'empty'
  return size >= WAL_HEADER_BYTES && isLog(log) ? 'there' : 'cut'
}

const isLog = (log: string): boolean => {
  const magic = Buffer.alloc(4)
  const opened = openSync(log, 'r')
  try {
    readSync(opened, magic, 0, magic.length, 0)
  } finally {
    closeSync(opened)
  }
  return (magic.readUInt32BE() & ~1) === WAL_MAGIC
}

/**
 * A read-only connection leaves file and log unchanged, even as the last one to close them. It would create a missing
 * log, unless the file is declared immutable; the log of an immutable file is not read.
 */
const reading = <T>(
  file: string,
  read: (db: DatabaseSync) => T,
  extent: 'with log' | 'without log' = logState(file) === 'there' ? 'with log' : 'without log',
): T => {
  const url = pathToFileURL(file)
  if (extent === 'without log') url.searchParams.set('immutable', '1')
  try {
    const db = new DatabaseSync(url, { readOnly: true, timeout: PATIENCE_MS })
    try {
      return read(db)
    } finally {
      db.close()
    }
  } catch (thrown) {
    throw resultCode(thrown) === CORRUPT ? damaged(file, errorMessage(thrown), thrown) : asProblem(thrown)
  }
}

const DAMAGED = 'storage_damaged'

const damaged = (file: string, found: unknown, cause?: unknown) =>
  new Problem(
    'unavailable',
    DAMAGED,
    `The data file ${file} is damaged (${found}): restore a backup into an empty folder.`,
    { cause },
  )

const unlessDamaged = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.code === DAMAGED) return undefined
    throw thrown
  }
}

const countCommits = (file: string): number => (fileSize(file) === 0 ? 0 : reading(file, countedIn).commits)

/** The result of `PRAGMA integrity_check` for a valid database. */
const SOUND = 'ok'

const checkIntegrity = (file: string) =>
  reading(file, (db) => db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check)

/** Pages that were checkpointed before the log was cut may not fit the rest of the log. */
const refuseDamaged = (file: string): void => {
  const found = checkIntegrity(file)
  if (found !== SOUND) throw damaged(file, found)
}
