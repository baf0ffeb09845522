import { copyFileSync, fstatSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import type { SyncFile } from '../../../lib/adapters/sqlite/data-file.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import type { Message } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { withChild } from './child.ts'
import { declared, inFile, inFolder, job, jobs, openJobs } from './samples.ts'

const sending: typeof jobs = {
  ...jobs,
  sends: ({ after }) => [{ to: 'notices', id: String(after?.id), body: {} }],
}

/** A store on a disk that the test stands for: each sync waits for `done` or `fail`. */
const openOnDisk = (file: string) => {
  const syncs: { done: () => void; fail: (reason: Error) => void }[] = []
  let isSlow = true
  const syncFile: SyncFile = async () => {
    if (isSlow) await new Promise<void>((done, fail) => void syncs.push({ done, fail }))
  }
  const lost: unknown[] = []
  const delivered: string[] = []
  const store = openSqliteStore({
    file,
    clock: createFakeClock(),
    collections: declared(sending),
    deliver: async (messages: readonly Message[]) => void delivered.push(...messages.map(({ id }) => id)),
    onLost: (reason) => lost.push(reason),
    syncFile,
  })
  store.start()
  const outcomes: string[] = []
  const commit = (n: number) =>
    void store.commit({ insert: sending, row: job(n) }).then(
      () => outcomes.push(`j${n} committed`),
      ({ code }) => outcomes.push(`j${n} ${code}`),
    )
  const turns = async () => {
    for (let turn = 0; turn < 4; turn += 1) await nextTurn()
  }
  const seen = async () => {
    const { rows } = await store.page(sending, { index: 'newest', order: 'asc', limit: 9 })
    return rows.map(({ id }) => id)
  }
  const close = () => {
    isSlow = false
    return store.close()
  }
  return { store, syncs, lost, delivered, outcomes, commit, turns, seen, close }
}

describe('a batch', () => {
  it('is written, then synced, and only then told, delivered and shown', () =>
    inFile(async (file) => {
      const { store, syncs, outcomes, delivered, commit, turns, seen, close } = openOnDisk(file)
      const before = readFileSync(`${file}-wal`)
      commit(1)
      await turns()
      expect(readFileSync(`${file}-wal`).equals(before)).toBe(false)
      expect([syncs.length, outcomes, delivered, await seen(), await store.get(sending, 'j1')]).toEqual([
        1,
        [],
        [],
        [],
        undefined,
      ])
      commit(2)
      commit(3)
      await turns()
      expect(syncs).toHaveLength(1)
      syncs[0]?.done()
      await turns()
      expect([syncs.length, outcomes, delivered, await seen()]).toEqual([2, ['j1 committed'], ['j1'], ['j1']])
      syncs[1]?.done()
      await turns()
      expect([outcomes.length, delivered, await seen()]).toEqual([3, ['j1', 'j2', 'j3'], ['j1', 'j2', 'j3']])
      await close()
    }))

  it('is lost for good when its sync fails, with all that come after it', () =>
    inFile(async (file) => {
      const { store, syncs, lost, outcomes, delivered, commit, turns, seen, close } = openOnDisk(file)
      commit(1)
      await turns()
      commit(2)
      syncs[0]?.fail(new Error('EIO: i/o error, fdatasync'))
      await turns()
      commit(3)
      await turns()
      expect(outcomes).toEqual(['j1', 'j2', 'j3'].map((id) => `${id} storage_unavailable`))
      expect([syncs.length, delivered, await seen()]).toEqual([1, [], []])
      expect(lost).toMatchObject([{ code: 'storage_unavailable', message: expect.stringContaining('EIO') }])
      await expect(store.probe()).rejects.toMatchObject({ code: 'storage_unavailable' })
      // SQLite would copy what was not synced into the file, and remove the log.
      await close()
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    }))
})

describe('the log', () => {
  it('of a killed process is synced with its file before they are opened, since readers see all that is in it', () =>
    inFolder(async (folder) => {
      const left = join(folder, 'left.db')
      const store = openJobs(join(folder, 'store.db'))
      await store.commit({ insert: jobs, row: job(1) })
      for (const end of ['', '-wal']) copyFileSync(join(folder, `store.db${end}`), `${left}${end}`)
      await store.close()
      await withChild('syncs-of-start.ts', [left], async ({ said }) => {
        const synced = [
          { file: 'left.db-wal', isOpen: false },
          { file: 'left.db', isOpen: false },
        ]
        expect(JSON.parse(await said())).toEqual({ synced, rows: 1 })
      })
    }))

  it('starts over after a checkpoint, so that it does not grow with the commits', () =>
    inFile(async (file) => {
      const store = openJobs(file)
      const sizes: number[] = []
      for (let n = 0; n < 200; n += 1) {
        await store.commit({ insert: jobs, row: job(n, { body: 'b'.repeat(20_000) }) })
        sizes.push(statSync(`${file}-wal`).size)
      }
      expect(statSync(file).size).toBeGreaterThan(3_000_000)
      expect(Math.max(...sizes)).toBeLessThan(1_000_000)
      await store.close()
    }))
})

/** What is on the disk for sure: the files as they were when they were last synced. */
const openOnRecordedDisk = (file: string) => {
  const durable = { file: readIfThere(file), log: readIfThere(`${file}-wal`) }
  const syncFile: SyncFile = async (descriptor) => {
    const isLog = fstatSync(descriptor).ino === statSync(`${file}-wal`).ino
    durable[isLog ? 'log' : 'file'] = readFileSync(isLog ? `${file}-wal` : file)
  }
  const store = openSqliteStore({ file, clock: createFakeClock(), collections: declared(jobs), syncFile })
  durable.file = readFileSync(file)
  durable.log = readFileSync(`${file}-wal`)
  return { store, durable }
}

const readIfThere = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

const BODY = 'b'.repeat(3_000)

describe('a power cut', () => {
  it('takes nothing that was acknowledged, and no half of a commit, whatever else reached the disk', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const { store, durable } = openOnRecordedDisk(file)
      let acknowledged = 0
      /** The folder as it may be after a cut right now: each file as it was synced, or as it is. */
      const afterCut = async (fileIsSynced: boolean, logIsSynced: boolean) => {
        const copy = mkdtempSync(join(folder, 'cut-'))
        const copied = join(copy, 'store.db')
        if (fileIsSynced) writeFileSync(copied, durable.file)
        else copyFileSync(file, copied)
        if (logIsSynced) writeFileSync(`${copied}-wal`, durable.log)
        else copyFileSync(`${file}-wal`, `${copied}-wal`)
        const again = openJobs(copied)
        const { rows } = await again.page(jobs, { index: 'newest', order: 'asc', limit: 99, detail: true })
        await again.close()
        return rows.map(({ id, body }) => `${id} ${body?.length}`)
      }
      for (let n = 0; n < 20; n += 1) {
        const [one, other] = [job(2 * n, { body: BODY }), job(2 * n + 1, { body: BODY })]
        const committed = store.commit({ insert: jobs, row: one }, [{ insert: jobs, row: other }])
        // The cut may come at any turn: before, while and after the batch is synced, and around the checkpoint.
        for (let turn = 0; n > 12 && turn < 3; turn += 1) {
          for (const [fileIsSynced, logIsSynced] of [
            [true, true],
            [false, true],
            [true, false],
          ] as const) {
            const rows = await afterCut(fileIsSynced, logIsSynced)
            expect([2 * acknowledged, 2 * n + 2]).toContain(rows.length)
            expect(rows).toEqual(rows.map((_, at) => `j${at} ${BODY.length}`))
          }
          await nextTurn()
        }
        await committed
        acknowledged = n + 1
      }
      await store.close()
    }))
})
