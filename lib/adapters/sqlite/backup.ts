import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { asProblem, findDamage, keepPrivate, PATIENCE_MS } from './database.ts'
import { markClosed } from './file-record.ts'

/**
 * Copies a data file that a service may be writing to: the copy is a checked snapshot, complete without a log. The writer
 * is not blocked; its log grows until the copy is done. Throws Problem `unavailable` when the medium fails,
 * `storage_damaged` when the copy is no valid database.
 */
export const copyDatabase = (from: string, to: string): void => {
  try {
    keepPrivate(to)
    using source = new DatabaseSync(from, { readOnly: true, timeout: PATIENCE_MS })
    source.prepare('VACUUM INTO ?').run(to)
    using copy = new DatabaseSync(to)
    markClosed(copy)
    const damage = findDamage(copy)
    if (damage !== undefined)
      throw new Problem('unavailable', 'storage_damaged', `The copy of ${from} is damaged (${damage}).`)
  } catch (thrown) {
    throw asProblem(thrown)
  }
}
