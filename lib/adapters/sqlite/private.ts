import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o600
const ANYBODY_ELSE = 0o077

/**
 * Makes a database file its owner's, created or found, whatever folder it lies in; SQLite gives the files that it puts
 * beside it the same mode. What cannot be done here fails in SQLite, which says it better. An existing file is not
 * opened: closing it would drop the locks that this process has on it (POSIX).
 */
export const keepPrivate = (file: string): void => {
  attempt(() => closeSync(openSync(file, 'wx', OWNER_ONLY)))
  for (const beside of ['', '-wal', '-shm', '-journal'])
    attempt(() => {
      if ((statSync(file + beside).mode & ANYBODY_ELSE) !== 0) chmodSync(file + beside, OWNER_ONLY)
    })
}

const attempt = (step: () => void): void => {
  try {
    step()
  } catch {
    // Not there, there already, or somebody else's.
  }
}
