import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { asProblem, keepPrivate, PATIENCE_MS } from './database.ts'
import { markClosed } from './open-mark.ts'

/**
 * Copies a data file that a service may be writing to: the copy is a checked snapshot, complete without a log. The writer
 * is not blocked; its log grows until the copy is done. Throws Problem `unavailable` when the medium fails,
 * `storage_damaged` when the copy is no valid database.
 */
export const copyDatabase = (from: string, to: string): void => {
  try {
    keepPrivate(to)
    using(new DatabaseSync(from, { readOnly: true, timeout: PATIENCE_MS }), (db) =>
      db.prepare('VACUUM INTO ?').run(to),
    )
    using(new DatabaseSync(to), (db) => {
      markClosed(db)
      const found = db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
      if (found !== 'ok')
        throw new Problem('unavailable', 'storage_damaged', `The copy of ${from} is damaged (${found}).`)
    })
  } catch (thrown) {
    throw asProblem(thrown)
  }
}

const using = (db: DatabaseSync, work: (db: DatabaseSync) => void) => {
  try {
    work(db)
  } finally {
    db.close()
  }
}
