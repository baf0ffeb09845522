import type { DatabaseSync } from 'node:sqlite'

/** Nothing was written for so long: the next script will hardly come while the log is folded. */
const IDLE_MS = 20
/** Scripts in the log that are worth the two fsyncs of folding it. */
const WORTH_FOLDING = 64

/**
 * Folds the log back into the file in moments when nothing is written, so that a commit seldom has to: SQLite folds within
 * the commit that makes the log too long (https://sqlite.org/wal.html, 2.3), and everybody waits for that one.
 */
export const createFolding = (db: Pick<DatabaseSync, 'exec'>) => {
  let scripts = 0
  const fold = () => {
    if (scripts < WORTH_FOLDING) return
    scripts = 0
    try {
      db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // What is in the log is durable there, and the fold that SQLite does by itself passes over a failure too: a disk
      // that takes nothing more is for the next commit to tell.
    }
  }
  const timer = setTimeout(fold, IDLE_MS)
  return {
    /** A script was written. */
    written: (): void => {
      scripts += 1
      timer.refresh()
    },
    stop: (): void => clearTimeout(timer),
  }
}
