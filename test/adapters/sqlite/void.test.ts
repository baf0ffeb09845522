import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { inFolder, job, jobs, openJobs } from './samples.ts'

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
const tally = { tally: 't', member: 'm', add: { count: 1 } }

describe('a transaction that fails', () => {
  // Few changes wait for the writer to be free, many are a script that lies ready with it.
  it.each([1, 40])('voids the %i changes that were decided on top of it', (count) =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      await store.commit({ insert: jobs, row: job(0) })
      const outcomes: Promise<unknown>[] = []
      await held(file, async () => {
        outcomes.push(store.commit({ insert: jobs, row: job(1) }))
        await nextTurn()
        await nextTurn()
        for (let rank = 1; rank <= count; rank += 1)
          outcomes.push(store.commit({ update: jobs, key: 'j1', set: { rank } }, [tally]))
        await Promise.allSettled(outcomes)
      })
      expect(await Promise.allSettled(outcomes)).toMatchObject(Array(count + 1).fill(storageFailed))
      expect(store.writable).toBe(false)
      expect([await store.get(jobs, 'j1'), await store.tallies('t')]).toEqual([undefined, {}])
      expect((await store.commit({ insert: jobs, row: job(1) }, [tally])).applied).toBe(true)
      expect([store.writable, await store.tallies('t')]).toEqual([true, { m: { count: 1 } }])
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
})
