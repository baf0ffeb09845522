import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { statementCache } from '../../../lib/adapters/sqlite/query.ts'

describe('the cache of statements', () => {
  it('prepares a text once, and drops the one used longest ago when it is full', () => {
    const db = new DatabaseSync(':memory:')
    const statement = statementCache(db, 2)
    const [one, two] = [statement('SELECT 1'), statement('SELECT 2')]
    expect(statement('SELECT 1')).toBe(one)
    statement('SELECT 3')
    expect(statement('SELECT 1')).toBe(one)
    expect(statement('SELECT 2')).not.toBe(two)
    db.close()
  })
})
