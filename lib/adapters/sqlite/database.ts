import { DatabaseSync } from 'node:sqlite'
import { fold } from '../../core/fold.ts'
import { asProblem } from './failure.ts'
import { keepPrivate } from './private.ts'

/**
 * 4 MB of cache a connection. The log is folded back when the writer is idle, or by the commit with which it has 64 MB. It
 * is kept at its size, since a file that grows costs more to sync.
 */
const PRAGMAS = `
  PRAGMA busy_timeout = 250;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -4096;
  PRAGMA mmap_size = 0;
  PRAGMA wal_autocheckpoint = 16000;
  PRAGMA journal_size_limit = 67108864;
`

/** Opens a file or `:memory:`; throws Problem `unavailable` when the medium will not have it. */
export const openDatabase = (file: string): DatabaseSync => {
  try {
    if (file !== ':memory:') keepPrivate(file)
    const db = new DatabaseSync(file)
    try {
      if (file !== ':memory:') db.exec(PRAGMAS)
      db.function('_has', { deterministic: true }, (text, folded) =>
        typeof text === 'string' && fold(text).includes(String(folded)) ? 1 : 0,
      )
      return db
    } catch (thrown) {
      db.close()
      throw thrown
    }
  } catch (thrown) {
    throw asProblem(thrown)
  }
}
