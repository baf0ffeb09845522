import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../../lib/adapters/sqlite/database.ts'
import { withChild } from './child.ts'
import { inFolder, job, jobs, openJobs } from './samples.ts'

describe('a SQLite file', () => {
  // OFF would not even sync the log when it starts over (https://sqlite.org/pragma.html#pragma_synchronous).
  it('is open with a write-ahead log that SQLite syncs only when it starts over', () =>
    inFolder(async (folder) => {
      const db = openDatabase(join(folder, 'store.db'))
      const answer = (pragma: string) => Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})
      const pragmas = ['journal_mode', 'synchronous', 'wal_autocheckpoint']
      expect(pragmas.flatMap(answer)).toEqual(['wal', 1, 0])
      db.close()
    }))

  it('holds rows, detail and counters when it is opened again', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const row = job(1, { body: 'heavy' })
      const before = openJobs(file)
      await before.commit({ insert: jobs, row })
      await before.close()
      const after = openJobs(file)
      expect(await after.get(jobs, row.id, true)).toEqual(row)
      expect(await after.counters('jobs')).toEqual({ all: { count: 1 } })
      await after.close()
    }))

  it('holds everything that was promised before the process was killed, and no half of a turn', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      let promised = 0
      await withChild('commit-forever.ts', [file], async ({ lines, kill }) => {
        for await (const line of lines) {
          promised = Number(line)
          if (promised >= 2_000) void kill()
        }
      })
      const store = openJobs(file)
      const count = await store.count(jobs, { index: 'byState', is: 'open' })
      expect(count).toBeGreaterThan(promised)
      expect(count % 20).toBe(0)
      expect(await store.count(jobs, { index: 'byState', is: 'shadow' })).toBe(count)
      expect(await store.counters('jobs')).toEqual({ all: { count: 2 * count } })
      for (let n = 0; n <= promised; n += 1)
        expect((await store.get(jobs, `j${n}`, true))?.body).toHaveLength(2_000)
      await store.close()
    }))

  it('rejects a whole turn when the disk is full, and keeps every turn before it', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      let told = ''
      const listen = async ({ said }: { said: () => Promise<string> }) => {
        told = await said()
      }
      await withChild('fill-disk.ts', [file], listen, 'ulimit -f 2000')
      const { promised, ...rest } = JSON.parse(told)
      expect(promised).toBeGreaterThan(0)
      expect(rest).toEqual({ kept: promised, reasons: ['storage_unavailable'] })
      const store = openJobs(file)
      expect(await store.count(jobs, { index: 'newest' })).toBe(promised)
      expect((await store.commit({ insert: jobs, row: job(promised) })).applied).toBe(true)
      await store.close()
    }))
})
