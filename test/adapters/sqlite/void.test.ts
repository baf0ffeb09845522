import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, type Job, job, jobs, lines, openJobs } from './samples.ts'

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
  // Few changes wait for the writer to be free, many are a batch that lies ready with it.
  it.each([1, 40])('voids the %i commits that were decided on top of it', (count) =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      await store.commit({ insert: jobs, row: job(0) })
      const outcomes: Promise<unknown>[] = []
      await held(file, async () => {
        // After a transaction that succeeded there is nothing to find out.
        await store.probe()
        outcomes.push(store.commit({ insert: jobs, row: job(1) }))
        await nextTurn()
        await nextTurn()
        for (let rank = 1; rank <= count; rank += 1)
          outcomes.push(store.commit({ update: jobs, key: 'j1', set: { rank } }))
        await Promise.allSettled(outcomes)
        await expect(store.probe()).rejects.toMatchObject({ code: 'storage_unavailable' })
      })
      expect(await Promise.allSettled(outcomes)).toMatchObject(Array(count + 1).fill(storageFailed))
      await store.probe()
      expect([await store.get(jobs, 'j1'), await store.counters('jobs')]).toEqual([
        undefined,
        { all: { count: 1 } },
      ])
      expect((await store.commit({ insert: jobs, row: job(1) })).applied).toBe(true)
      expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
      await store.close()
    }),
  )

  it('leaves the marks of the highest keys no lower than the rows of the file', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      await store.commit({ insert: jobs, row: job(1) })
      await held(file, async () => {
        await expect(store.commit({ insert: jobs, row: job(5) })).rejects.toMatchObject({
          kind: 'unavailable',
        })
      })
      await store.commit({ insert: jobs, row: job(5) })
      await store.close()
      const again = openJobs(file)
      const rows = [job(2), job(5), job(3)]
      const outcomes = await Promise.all(rows.map((row) => again.commit({ insert: jobs, row })))
      expect(outcomes.map(({ applied }) => applied)).toEqual([true, false, true])
      await again.close()
    }))

  it('costs the writer no statement that only a batch without a turn would have told it', () =>
    inFolder(async (folder) => {
      const store = openJobs(join(folder, 'store.db'))
      const update = (set: Partial<Job>) => store.commit({ update: jobs, key: 'j0', set })
      await store.commit({ insert: jobs, row: job(0) })
      await held(join(folder, 'store.db'), async () => {
        // As many as two batches hold, so that the third is made and waits.
        const fill = Array.from({ length: 1_024 }, (_, n) => store.commit({ insert: jobs, row: job(n + 1) }))
        const third = Array.from({ length: 512 }, () => update({ state: 'lost' }))
        const outcomes = await Promise.allSettled([...fill, ...third])
        expect(outcomes).toMatchObject(Array(1_536).fill(storageFailed))
      })
      expect(await update({ at: '7' })).toMatchObject({ applied: true })
      expect(await update({ state: 'kept' })).toMatchObject({ applied: true })
      expect(await store.get(jobs, 'j0')).toEqual(job(0, { at: '7', state: 'kept' }))
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
        await nextTurn()
        await nextTurn()
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
