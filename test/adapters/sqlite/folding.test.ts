import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { inFolder, job, jobs, openJobs } from './samples.ts'

describe('the log', () => {
  it('is folded back into the file once nothing is written', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      const { size } = statSync(file)
      // One script after the other: far from as much as SQLite folds by itself.
      for (let n = 0; n < 200; n++) await store.commit({ insert: jobs, row: job(n) })
      while (statSync(file).size === size) await sleep(5)
      expect(statSync(file).size).toBeGreaterThan(size)
      await store.close()
    }))
})
