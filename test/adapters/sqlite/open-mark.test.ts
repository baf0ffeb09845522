import { statSync } from 'node:fs'
import { constants, DatabaseSync } from 'node:sqlite'
import { expect, it } from '@jest/globals'
import { checkpointAndMarkClosed, markOpen, readHeader } from '../../../lib/adapters/sqlite/open-mark.ts'
import { inFile } from './samples.ts'

it('A file is marked as closed once every commit is in it, since a checkpoint that is cut off may leave the mark alone', () =>
  inFile(async (file) => {
    const db = new DatabaseSync(file)
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)')
    markOpen(db)
    db.exec('INSERT INTO t VALUES (1)')
    const logSizes: number[] = []
    db.setAuthorizer((action, name, value) => {
      if (action === constants.SQLITE_PRAGMA && name === 'application_id' && value !== null)
        logSizes.push(statSync(`${file}-wal`).size)
      return constants.SQLITE_OK
    })
    expect(checkpointAndMarkClosed(db)).toBe(true)
    expect(logSizes).toEqual([0])
    db.close()
    expect(readHeader(file)).toEqual({ isOpen: false, isClosed: true, keepsLog: true })
  }))
