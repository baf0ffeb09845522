import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, job, jobs, lines, openJobs } from './samples.ts'

/** Holds the write lock of the file from outside, as a backup or a shell would, for longer than a writer waits. */
const held = async (file: string, work: () => Promise<void>) => {
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  try {
    await work()
  } finally {
    other.exec('COMMIT')
    other.close()
  }
}
const storageFailed = { status: 'rejected', reason: { code: 'storage_unavailable' } }

describe('a transaction that fails', () => {
  it('rejects its commits, and those that follow while the lock is held', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      await store.commit({ insert: jobs, row: job(0) })
      const outcomes: Promise<unknown>[] = []
      await held(file, async () => {
        // After a transaction that succeeded there is nothing to find out.
        await store.probe()
        outcomes.push(store.commit({ insert: jobs, row: job(1) }))
        for (let rank = 1; rank <= 200; rank += 1)
          outcomes.push(store.commit({ update: jobs, key: 'j1', set: { rank } }))
        await Promise.allSettled(outcomes)
        await expect(store.probe()).rejects.toMatchObject({ code: 'storage_unavailable' })
      })
      expect(await Promise.allSettled(outcomes)).toMatchObject(Array(201).fill(storageFailed))
      await store.probe()
      expect([await store.get(jobs, 'j1'), await store.counters('jobs')]).toEqual([
        undefined,
        { all: { count: 1 } },
      ])
      expect((await store.commit({ insert: jobs, row: job(1) })).applied).toBe(true)
      expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
      await store.close()
    }))

  it('waits for a lock that another program holds for a moment', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      const committed = store.commit({ insert: jobs, row: job(1) })
      // The first try is over when the event loop comes to this turn: a timer begins the next one.
      await nextTurn()
      await nextTurn()
      other.exec('COMMIT')
      other.close()
      expect(await committed).toMatchObject({ applied: true })
      await store.close()
    }))

  it('leaves nothing of rows that were added to an owner, and they can be added again', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openSqliteStore({ file, clock: createFakeClock(), collections: declared(lines) })
      const line = (id: string, text: string) => ({ owner: 'one', id, text })
      const add = (id: string, text: string) => store.commit({ insert: lines, row: line(id, text) })
      await add('a', 'first')
      await held(file, async () => {
        const first = add('b', 'lost')
        const update = store.commit({ update: lines, key: ['one', 'a'], set: { text: 'lost' } })
        const outcomes = await Promise.allSettled([first, add('c', 'lost'), update])
        expect(outcomes).toMatchObject(Array(3).fill(storageFailed))
      })
      expect(await store.get(lines, ['one', 'b'])).toBeUndefined()
      expect((await Promise.all([add('c', 'kept'), add('b', 'kept')])).map(({ applied }) => applied)).toEqual(
        [true, true],
      )
      const { rows } = await store.page(lines, { index: 'ofOwner', is: 'one', order: 'asc', limit: 9 })
      expect(rows).toEqual([line('a', 'first'), line('b', 'kept'), line('c', 'kept')])
      await store.close()
    }))
})
