import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createCheckpoints } from '../../../lib/adapters/sqlite/database.ts'
import { inFolder, job, jobs, openJobs } from './samples.ts'

describe('the log of a file', () => {
  it('is checkpointed once nothing is written', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openJobs(file)
      const { size } = statSync(file)
      // One batch after the other: far from as much as SQLite checkpoints by itself.
      for (let n = 0; n < 200; n++) await store.commit({ insert: jobs, row: job(n) })
      for (let tries = 0; statSync(file).size === size && tries < 1_000; tries++) await sleep(10)
      expect(statSync(file).size).toBeGreaterThan(size)
      await store.close()
    }))
})

describe('a checkpoint', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  const open = (exec = jest.fn()) => {
    const checkpoints = createCheckpoints({ exec })
    const write = (batches: number) => {
      for (let n = 0; n < batches; n++) checkpoints.written()
    }
    return { exec, write, stop: checkpoints.stop }
  }

  it('waits for enough batches to be worth it', () => {
    const { exec, write } = open()
    write(63)
    jest.advanceTimersByTime(1_000)
    expect(exec).not.toHaveBeenCalled()
    write(1)
    jest.advanceTimersByTime(20)
    expect(exec.mock.calls).toEqual([['PRAGMA wal_checkpoint(PASSIVE)']])
    write(63)
    jest.advanceTimersByTime(1_000)
    expect(exec).toHaveBeenCalledTimes(1)
  })
  it('waits while batches come', () => {
    const { exec, write } = open()
    for (let ms = 0; ms < 2_000; ms += 10) {
      write(1)
      jest.advanceTimersByTime(10)
    }
    expect(exec).not.toHaveBeenCalled()
  })
  it('is over when it is stopped', () => {
    const { exec, write, stop } = open()
    write(64)
    stop()
    jest.advanceTimersByTime(1_000)
    expect(exec).not.toHaveBeenCalled()
  })
  it('is tried again after the next batches when the disk refuses', () => {
    const exec = jest.fn(() => {
      throw new Error('disk I/O error')
    })
    const { write } = open(exec)
    write(64)
    jest.advanceTimersByTime(20)
    write(64)
    jest.advanceTimersByTime(20)
    expect(exec).toHaveBeenCalledTimes(2)
  })
})
