import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createFolderBlobs } from '../../lib/adapters/node/folder-blobs.ts'

const unavailable = { name: 'Problem', kind: 'unavailable', code: 'files_unavailable' }

let above = ''
let folder = ''
const open = () => createFolderBlobs({ folder })
const at = (...names: string[]) => join(folder, ...names)
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), 'folder-blobs-'))
  folder = join(above, 'files')
})
afterEach(() => rm(above, { recursive: true }))

describe('blobs in a folder', () => {
  it('are files that only their owner may read, under names that say what they are', async () => {
    await open().put('memory/notes.md', '# Notes')
    expect(await readFile(at('memory+', 'notes.md'), 'utf8')).toBe('# Notes')
    expect(await modeOf(at('memory+', 'notes.md'))).toBe(0o600)
    for (const path of [folder, at('memory+'), at('~drafts')]) expect(await modeOf(path)).toBe(0o700)
  })

  it('are there for the next process, which clears what a killed one was writing', async () => {
    await open().put('a', 'kept')
    await writeFile(at('~drafts', '0'), 'half')
    const next = open()
    await next.put('b', 'new')
    expect(await next.get('a')).toBe('kept')
    expect(await next.list('', { limit: 9 })).toEqual({ keys: ['a', 'b'] })
    expect(await readdir(at('~drafts'))).toEqual([])
  })

  it('leave no empty folder when they are removed', async () => {
    const blobs = open()
    for (const key of ['a/b/c/d', 'a/e']) await blobs.put(key, '')
    await blobs.remove('a/b/c/d')
    expect(await readdir(folder, { recursive: true })).toEqual(
      expect.not.arrayContaining([expect.stringContaining('b+')]),
    )
    await blobs.remove('a/e')
    expect(await readdir(folder)).toEqual(['~drafts'])
  })

  it('are written to a file that is gone when the write fails', async () => {
    const blobs = open()
    await mkdir(at('taken'), { recursive: true })
    await expect(blobs.put('taken', 'text')).rejects.toMatchObject(unavailable)
    await expect(blobs.get('taken')).rejects.toMatchObject(unavailable)
    expect(await readdir(at('~drafts'))).toEqual([])
    await blobs.put('free', 'text')
    expect(await blobs.get('free')).toBe('text')
  })

  it('are no pipes', async () => {
    const blobs = open()
    execFileSync('mkfifo', [at('a')])
    await expect(blobs.get('a')).rejects.toMatchObject(unavailable)
    expect(await blobs.list('', { limit: 9 })).toEqual({ keys: [] })
  })

  it('lie beside files that are not theirs, which no list shows', async () => {
    const blobs = open()
    await blobs.put('a/b', 'text')
    await mkdir(at('ax'))
    await mkdir(at('two words+'))
    for (const path of [at('two words.md'), at('ax', 'b'), at('two words+', 'c')]) await writeFile(path, '')
    expect(await blobs.list('', { limit: 9 })).toEqual({ keys: ['a/b'] })
  })

  it('are refused when their bytes are no text', async () => {
    const blobs = open()
    await writeFile(at('a'), Buffer.from([0x61, 0xff]))
    await expect(blobs.get('a')).rejects.toMatchObject(unavailable)
  })

  it('are unavailable where the folder has become a file, and the error names no path', async () => {
    const blobs = open()
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    const calls = [blobs.put('a', ''), blobs.get('a'), blobs.remove('a'), blobs.list('', { limit: 1 })]
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({
        reason: { ...unavailable, message: 'Files are unavailable (ENOTDIR).' },
      })
  })
})

describe('a link in the folder', () => {
  let outside = ''
  beforeEach(async () => {
    outside = join(above, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'secret')
  })

  it('leads no verb out of it', async () => {
    const blobs = open()
    await symlink(outside, at('a+'))
    await expect(blobs.get('a/secret')).rejects.toMatchObject(unavailable)
    await expect(blobs.put('a/secret', 'changed')).rejects.toMatchObject(unavailable)
    await expect(blobs.put('a/new/file', 'planted')).rejects.toMatchObject(unavailable)
    await expect(blobs.remove('a/secret')).rejects.toMatchObject(unavailable)
    expect(await blobs.list('', { limit: 9 })).toEqual({ keys: [] })
    expect(await readdir(outside)).toEqual(['secret'])
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('is not read through, and what it leads to survives its replacement', async () => {
    const blobs = open()
    await symlink(join(outside, 'secret'), at('a'))
    await expect(blobs.get('a')).rejects.toMatchObject(unavailable)
    expect(await blobs.list('', { limit: 9 })).toEqual({ keys: [] })
    await blobs.put('a', 'mine')
    expect(await blobs.get('a')).toBe('mine')
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('does not take drafts away', async () => {
    const blobs = open()
    await symlink(outside, at('~drafts'))
    await expect(blobs.put('a', 'text')).rejects.toMatchObject(unavailable)
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('may be the folder itself', async () => {
    await symlink(outside, folder)
    const blobs = open()
    await blobs.put('a/b', 'text')
    expect(await blobs.get('a/b')).toBe('text')
  })
})
