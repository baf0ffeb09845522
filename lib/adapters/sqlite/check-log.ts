import { readFileSync, statSync } from 'node:fs'
import * as path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { errorMessage, Problem } from '../../core/errors.ts'
import { asProblem, findDamage, PATIENCE_MS, resultCode } from './database.ts'
import { countedCommits, countFile, type FileRecord, readFileRecord, writeCount } from './file-record.ts'

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
 * It detects a missing or empty log beside a file that was not closed, and a log without commits that were counted.
 * After a power cut the count may be some seconds old, and a log that lost only later commits is not detected.
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
  // Pages that were checkpointed before the log was cut may not fit the rest of the log.
  const damage = isEmpty(file) ? undefined : reading(file, findDamage)
  if (damage !== undefined) throw damaged(file, damage)
  writeCount(file, isEmpty(file) ? 0 : (reading(file, readFileRecord)?.commits ?? 0))
  return loss
}

const describeLoss = (file: string): string | undefined => {
  const log = logState(file)
  const counted = countedCommits(file)
  if (isEmpty(file))
    return log === 'there' || (counted ?? 0) > 0
      ? `The data file ${file} is missing or empty, and what was beside it is there`
      : undefined
  if (log === 'there' && hasForeignLog(file)) throw foreign(file)
  const joined = reading(file, readFileRecord)
  const missing = counted === undefined ? undefined : counted - (joined?.commits ?? 0)
  if (missing !== undefined && missing > 0) return lost(file, missing, log)
  // Another program may have checkpointed the log of a dead service: then the file has all counted commits, and at most
  // the last one that was not counted.
  const isBehind = log !== 'there' && joined?.isOpen && (missing === undefined || missing < -1)
  return isBehind ? unclosed(file, log) : undefined
}

/**
 * The record in the file itself. Undefined for a missing file, and for a damaged one: a power cut may have torn it during a
 * start's checkpoint, which its log repairs. Must not be called while this process has the file open: closing it would
 * drop the locks on it (POSIX).
 */
export const recordWithoutLog = (file: string): FileRecord | undefined =>
  isEmpty(file) ? undefined : unlessDamaged(() => reading(file, readFileRecord, 'without log'))

/** Whether a log is that of another file, or of a later time: a closed file has every commit, so its log adds none. */
const hasForeignLog = (file: string): boolean => {
  if (unlessDamaged(() => reading(file, isOfAnotherProgram, 'without log'))) return true
  const alone = recordWithoutLog(file)
  const joined = unlessDamaged(() => reading(file, readFileRecord))
  if (alone === undefined) return false
  if (alone.isOpen) return joined !== undefined && joined.id !== alone.id
  const isOwn = joined?.id === alone.id && joined.commits === alone.commits
  // The second look is for backups: the service may have started while its file was read.
  return !isOwn && recordWithoutLog(file)?.isOpen !== true
}

const isOfAnotherProgram = (db: DatabaseSync): boolean =>
  readFileRecord(db) === undefined && db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined

const unlessDamaged = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.code === DAMAGED) return undefined
    throw thrown
  }
}

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
    `The data file ${file} was put beside a write-ahead log that is not its own: move ${logName(file)}, ${path.basename(file)}-shm and ${path.basename(countFile(file))} out of the folder, or restore into an empty one.`,
  )

const logName = (file: string) => path.basename(`${file}-wal`)

const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0

const logState = (file: string): Log => {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size
  if (size === undefined) return 'missing'
  if (size === 0) return 'empty'
  return size >= WAL_HEADER_BYTES && isLog(`${file}-wal`) ? 'there' : 'cut'
}

const isLog = (log: string): boolean => (readFileSync(log).readUInt32BE() & ~1) === WAL_MAGIC

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
    using db = new DatabaseSync(url, { readOnly: true, timeout: PATIENCE_MS })
    return read(db)
  } catch (thrown) {
    throw resultCode(thrown) === CORRUPT ? damaged(file, errorMessage(thrown), thrown) : asProblem(thrown)
  }
}

const DAMAGED = 'storage_damaged'

const damaged = (file: string, damage: string, cause?: unknown) =>
  new Problem(
    'unavailable',
    DAMAGED,
    `The data file ${file} is damaged (${damage}): restore a backup into an empty folder.`,
    { cause },
  )
