import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { lockDataDir } from '../../../lib/adapters/sqlite/lock.ts'
import { withChild } from './child.ts'
import { inFolder } from './samples.ts'

const inUse = { kind: 'unavailable', code: 'data_dir_in_use' }
const unwritable = { kind: 'unavailable', code: 'data_dir_unwritable' }
const caught = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (thrown) {
    return thrown
  }
}

describe('the lock of a data folder', () => {
  it('refuses a folder that another process owns, until that process is killed', () =>
    inFolder((folder) =>
      withChild('hold-lock.ts', [folder], async ({ said, kill }) => {
        expect(await said()).toBe('locked')
        expect(caught(() => lockDataDir(folder))).toMatchObject(inUse)
        await kill()
        lockDataDir(folder)()
      }),
    ))
  it('refuses a second owner in one process, until the first gives it back', () =>
    inFolder(async (folder) => {
      const release = lockDataDir(folder)
      expect(caught(() => lockDataDir(join(folder, '.')))).toMatchObject(inUse)
      release()
      release()
      lockDataDir(folder)()
    }))
  it('creates the folder, and those above it', () =>
    inFolder(async (folder) => {
      const release = lockDataDir(join(folder, 'a', 'b'))
      expect(caught(() => lockDataDir(join(folder, 'a', 'b')))).toMatchObject(inUse)
      release()
    }))
  it('names the folder that it cannot write to', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'file')
      await writeFile(file, '')
      expect(caught(() => lockDataDir(file))).toMatchObject(unwritable)
      expect(caught(() => lockDataDir(join(file, 'below')))).toMatchObject(unwritable)
      await mkdir(join(folder, 'lock.db'))
      const refused = caught(() => lockDataDir(folder))
      expect(refused).toMatchObject(unwritable)
      expect(String(refused)).toContain(`The data folder ${folder} cannot be written to`)
    }))
})
