import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, job, jobs, type Line, lines } from './samples.ts'

const line = (id: string, text = 'first'): Line => ({ owner: 'one', id, text })

const open = (file: string) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(jobs, lines) })

// Keys in rising order: one shorter than what is kept of a mark, two alike in that, one above every bound made of it.
const KEYS = ['k1', 'k_01JD3ZZZZZ0001', 'k_01JD3ZZZZZ0002', 'k_01JD3ZZZZZ0~~z']

describe('what is known of the highest key', () => {
  it.each([1, 2, 3, 4])('keeps no row from being found after a restart, with %i of the keys', (many) =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const keys = KEYS.slice(0, many)
      const before = open(file)
      for (const id of keys) {
        await before.commit({ insert: jobs, row: job(1, { id }) })
        await before.commit({ insert: lines, row: line(id) })
      }
      await before.close()
      const after = open(file)
      for (const id of keys) {
        expect((await after.commit({ insert: jobs, row: job(2, { id }) })).applied).toBe(false)
        expect((await after.commit({ insert: lines, row: line(id, 'second') })).applied).toBe(false)
      }
      expect(await after.count(lines, { index: 'ofOwner', is: 'one' })).toBe(many)
      await after.close()
    }),
  )

  it('takes new rows right above and below it after a restart', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const before = open(file)
      await before.commit({ insert: lines, row: line('k_01JD3ZZZZZ0005') })
      await before.close()
      const after = open(file)
      const ids = ['k_01JD3ZZZZZ0006', 'k_01JD3ZZZZZ0004', 'k_01JD4ZZZZZ0000']
      for (const id of ids) expect((await after.commit({ insert: lines, row: line(id) })).applied).toBe(true)
      for (const id of ids) expect(await after.get(lines, ['one', id])).toEqual(line(id))
      await after.close()
    }))
})
