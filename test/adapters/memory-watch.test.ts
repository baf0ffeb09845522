import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createMemoryWatch } from '../../lib/adapters/node/memory-watch.ts'
import { withOpened } from '../contract/test-of.ts'
import { createFakeLog } from '../fakes/log.ts'

/** A clock whose waits are over in a hundredth of the time. */
const hurried = () => {
  const clock = createClock()
  return { ...clock, after: (ms: number, call: () => void) => clock.after(ms / 100, call) }
}

const open = async () => {
  const above = await mkdtemp(path.join(tmpdir(), 'watch-'))
  const folder = path.join(above, 'memory')
  let calls = 0
  let fail = false
  const onChange = async () => {
    calls += 1
    if (fail) throw new Error('storage is away')
  }
  const watch = createMemoryWatch({ folder, clock: hurried(), log: createFakeLog(), onChange })
  /** Does something and waits until it was heard of. */
  const heard = async (work: () => Promise<unknown>) => {
    const before = calls
    await work()
    for (let n = 0; n < 1_000 && calls === before; n++) await sleep(5)
    return calls > before
  }
  const isWatching = async (wanted: boolean) => {
    for (let n = 0; n < 1_000 && watch.status().watching !== wanted; n++) await sleep(5)
    return watch.status().watching === wanted
  }
  return {
    folder,
    watch,
    heard,
    isWatching,
    calls: () => calls,
    failing: () => {
      fail = true
    },
    close: async () => {
      await watch.stop()
      await rm(above, { recursive: true, force: true })
    },
  }
}

describe('the watch of memory files', () => {
  it(
    'follows a folder that is a link itself',
    withOpened(open, async ({ folder, watch, heard, isWatching }) => {
      await mkdir(`${folder}-elsewhere`)
      await symlink(`${folder}-elsewhere`, folder)
      expect(await heard(async () => watch.start())).toBe(true)
      expect(await isWatching(true)).toBe(true)
      expect(await heard(() => writeFile(path.join(folder, 'b.md'), 'text'))).toBe(true)
    }),
  )

  it(
    'reports files that are there, come, change and go, in folders as well',
    withOpened(open, async ({ folder, watch, heard }) => {
      await mkdir(path.join(folder, 'a'), { recursive: true })
      expect(await heard(async () => watch.start())).toBe(true)
      expect(await heard(() => writeFile(path.join(folder, 'a/b.md'), 'text'))).toBe(true)
      expect(await heard(() => writeFile(path.join(folder, 'a/b.md'), 'other text'))).toBe(true)
      expect(await heard(() => rm(path.join(folder, 'a'), { recursive: true }))).toBe(true)
    }),
  )

  it(
    'waits for a folder that is not there, and for one that has gone to come again',
    withOpened(open, async ({ folder, watch, heard, isWatching }) => {
      watch.start()
      expect(watch.status()).toEqual({ enabled: true, watching: false })
      for (let round = 0; round < 2; round++) {
        await mkdir(folder)
        expect(await isWatching(true)).toBe(true)
        expect(await heard(() => writeFile(path.join(folder, 'a.md'), `text ${round}`))).toBe(true)
        await rm(folder, { recursive: true })
        expect(await isWatching(false)).toBe(true)
      }
    }),
  )

  it(
    'goes on after a change that could not be taken in',
    withOpened(open, async ({ folder, watch, heard, failing }) => {
      await mkdir(folder)
      await heard(async () => watch.start())
      failing()
      expect(await heard(() => writeFile(path.join(folder, 'a.md'), 'text'))).toBe(true)
      expect(await heard(() => writeFile(path.join(folder, 'b.md'), 'text'))).toBe(true)
    }),
  )

  it(
    'reports nothing once it is stopped, whether or not it had begun',
    withOpened(open, async ({ folder, watch, calls }) => {
      watch.start()
      await watch.stop()
      await mkdir(folder)
      await writeFile(path.join(folder, 'a.md'), 'text')
      await sleep(60)
      expect(calls()).toBe(0)
      expect(watch.status()).toEqual({ enabled: false, watching: false })
    }),
  )
})
