import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openTotals } from '../../../lib/adapters/sqlite/totals.ts'

/** A file that changes without a word to the reader, and says that it may when `changing` is set. */
const open = () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE tally_totals (grp, member, name, value)')
  const state = { changing: false }
  const totals = openTotals(db, () => state.changing)
  const add = (value: number) =>
    db.prepare('INSERT INTO tally_totals VALUES (?, ?, ?, ?)').run('jobs', 'all', `n${value}`, value)
  return { totals, state, add, drop: () => db.exec('DROP TABLE tally_totals') }
}

describe('totals that are known', () => {
  it('are not read again until the file has changed', () => {
    const { totals, add } = open()
    add(1)
    expect(totals.of('jobs', '')).toEqual({ all: { n1: 1 } })
    add(2)
    expect(totals.of('jobs', '')).toEqual({ all: { n1: 1 } })
    totals.forget()
    expect(totals.of('jobs', '')).toEqual({ all: { n1: 1, n2: 2 } })
  })

  it('are read again while the file may change, and are not those that are kept', () => {
    const { totals, state, add } = open()
    expect(totals.of('jobs', '')).toEqual({})
    state.changing = true
    add(1)
    expect(totals.of('jobs', '')).toEqual({ all: { n1: 1 } })
    add(2)
    expect(totals.of('jobs', '')).toEqual({ all: { n1: 1, n2: 2 } })
    state.changing = false
    expect(totals.of('jobs', '')).toEqual({})
  })

  it('are read for whoever asks from a member on, which shows a medium that is gone', () => {
    const { totals, drop } = open()
    expect(totals.of('jobs', '')).toEqual({})
    drop()
    expect(totals.of('jobs', '')).toEqual({})
    expect(() => totals.of('jobs', 'all')).toThrow('no such table')
  })
})
