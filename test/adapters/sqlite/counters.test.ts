import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { createCounterTable, openCounters } from '../../../lib/adapters/sqlite/counters.ts'

/** A file that changes without a word to the reader, and says that it may when `changing` is set. */
const open = () => {
  const db = new DatabaseSync(':memory:')
  createCounterTable(db)
  const state = { changing: false }
  const counters = openCounters(db, () => state.changing)
  const add = (value: number) =>
    db.prepare('INSERT INTO _counters VALUES (?, ?, ?, ?)').run('jobs', 'all', `n${value}`, value)
  return { counters, state, add, drop: () => db.exec('DROP TABLE _counters') }
}

describe('counters that are known', () => {
  it('are not read again until the file has changed', () => {
    const { counters, add } = open()
    add(1)
    expect(counters.of('jobs', '')).toEqual({ all: { n1: 1 } })
    add(2)
    expect(counters.of('jobs', '')).toEqual({ all: { n1: 1 } })
    counters.committed()
    expect(counters.of('jobs', '')).toEqual({ all: { n1: 1, n2: 2 } })
  })

  it('are read again while the file may change, and are not those that are kept', () => {
    const { counters, state, add } = open()
    expect(counters.of('jobs', '')).toEqual({})
    state.changing = true
    add(1)
    expect(counters.of('jobs', '')).toEqual({ all: { n1: 1 } })
    add(2)
    expect(counters.of('jobs', '')).toEqual({ all: { n1: 1, n2: 2 } })
    state.changing = false
    expect(counters.of('jobs', '')).toEqual({})
  })

  it('are read from a member on, which shows a medium that is gone', () => {
    const { counters, drop } = open()
    expect(counters.of('jobs', '')).toEqual({})
    drop()
    expect(counters.of('jobs', '')).toEqual({})
    expect(() => counters.of('jobs', 'all')).toThrow('no such table')
  })
})
