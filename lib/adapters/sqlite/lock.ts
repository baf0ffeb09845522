import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage, Problem } from '../../core/errors.ts'
import { BUSY, keepPrivate, resultCode } from './database.ts'

/** Keeps locks reachable: a database that is collected as garbage closes and loses its lock. */
const held = new Set<DatabaseSync>()

const inUse = (folder: string, cause: unknown) =>
  new Problem(
    'unavailable',
    'data_dir_in_use',
    `The data folder ${folder} is in use by another process: stop it, or set DATA_DIR to another folder.`,
    { cause },
  )

const unwritable = (folder: string, cause: unknown) =>
  new Problem(
    'unavailable',
    'data_dir_unwritable',
    `The data folder ${folder} cannot be written to (${errorMessage(cause)}): set DATA_DIR to a folder that can.`,
    { cause },
  )

/**
 * Makes this process the only owner of a data folder, and creates a missing one; the returned function releases it. The
 * lock is an exclusive SQLite transaction, so the kernel releases it with the process, however that dies. Throws Problem
 * `unavailable`: `data_dir_in_use` when another owner lives, `data_dir_unwritable` for a bad folder.
 */
export const lockDataDir = (dir: string): (() => void) => {
  const folder = resolve(dir)
  const file = join(folder, 'lock.db')
  let lock: DatabaseSync | undefined
  const release = () => {
    if (lock !== undefined && held.delete(lock)) lock.close()
  }
  try {
    ensure(folder)
    keepPrivate(file)
    lock = new DatabaseSync(file, { timeout: 0 })
    held.add(lock)
    lock.exec('BEGIN EXCLUSIVE')
    return release
  } catch (thrown) {
    release()
    throw resultCode(thrown) === BUSY ? inUse(folder, thrown) : unwritable(folder, thrown)
  }
}

/** One level at a time: a recursive `mkdir` does not return in `/proc`. */
const ensure = (folder: string): void => {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) ensure(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}
