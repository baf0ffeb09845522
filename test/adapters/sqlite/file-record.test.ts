import { statSync } from 'node:fs'
import { constants, DatabaseSync } from 'node:sqlite'
import { expect, it } from '@jest/globals'
import { recordWithoutLog } from '../../../lib/adapters/sqlite/check-log.ts'
import {
  checkpointAndMarkClosed,
  checkpointOpenMark,
  markOpen,
} from '../../../lib/adapters/sqlite/file-record.ts'
import { inFile } from './samples.ts'

it('A file is marked as closed once every commit is in it, since a checkpoint that is cut off may leave the mark alone', () =>
  inFile(async (file) => {
    const db = new DatabaseSync(file)
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)')
    markOpen(db)
    checkpointOpenMark(db)
    db.exec('INSERT INTO t VALUES (1)')
    const logSizes: number[] = []
    db.setAuthorizer((action, table, column) => {
      if (action === constants.SQLITE_UPDATE && table === '_commits' && column === 'is_open')
        logSizes.push(statSync(`${file}-wal`).size)
      return constants.SQLITE_OK
    })
    expect(checkpointAndMarkClosed(db)).toBe(true)
    expect(logSizes).toEqual([0])
    db.close()
    expect(recordWithoutLog(file)).toMatchObject({ commits: 0, isOpen: false })
  }))
