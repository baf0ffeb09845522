import {
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals'
import { keepObjects } from '../../lib/adapters/node/own-git.ts'
import {
  makeBelow,
  readBelow,
  removeBelow,
  workspaceFiles,
  writeBelow,
} from '../../lib/adapters/node/workspace-files.ts'
import { locateIn } from '../../lib/adapters/node/workspace-path.ts'
import { temporaryFolder } from '../journeys/service.ts'

const folder = temporaryFolder()
const root = folder.in('work')
const [inside, outside] = [folder.in('work/a.txt'), folder.in('outside.txt')]
beforeEach(() => {
  rmSync(inside, { force: true })
  mkdirSync(root, { recursive: true })
  writeFileSync(inside, 'inside')
  writeFileSync(outside, 'outside')
})
afterAll(() => folder[Symbol.dispose]())

const swappedBy = (swap: () => void) =>
  workspaceFiles(root, {
    locator: async (...where) => {
      const place = await locateIn(...where)
      swap()
      return place
    },
  })

describe('a link that takes the place of a file between its check and its use', () => {
  /** A program of the agent that is as fast as can be. */
  const files = swappedBy(() => {
    rmSync(inside, { force: true })
    symlinkSync(outside, inside)
  })

  it('is not read through', async () => {
    await expect(files.read('a.txt', 100)).rejects.toMatchObject({ code: 'path_outside' })
  })

  it('is not written through', async () => {
    await expect(files.write('a.txt', 'changed')).rejects.toMatchObject({ code: 'path_outside' })
    expect(readFileSync(outside, 'utf8')).toBe('outside')
  })
})

describe('a link that takes the place of a folder between the check and the use of what is in it', () => {
  const [kept, away] = [folder.in('work/kept'), folder.in('away')]
  beforeEach(() => {
    for (const place of [kept, away]) {
      rmSync(place, { recursive: true, force: true })
      mkdirSync(place)
      writeFileSync(`${place}/b.txt`, place)
    }
  })
  const files = swappedBy(() => {
    rmSync(kept, { recursive: true, force: true })
    symlinkSync(away, kept)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['read', () => files.read('kept/b.txt', 100)],
    ['written', () => files.write('kept/b.txt', 'changed')],
    ['written anew', () => files.write('kept/c.txt', 'new')],
    ['made', () => files.write('kept/d/e.txt', 'new')],
    ['listed', () => files.list('kept', 10)],
  ])('is not gone through: nothing is %s', async (_what, use) => {
    if (process.platform !== 'linux') return console.error('SKIPPED: only Linux names what is held open')
    await expect(use()).rejects.toMatchObject({ code: 'path_outside' })
    expect(readdirSync(away)).toEqual(['b.txt'])
    expect(readFileSync(`${away}/b.txt`, 'utf8')).toBe(away)
  })
})

describe('a link in the place of what the service writes, reads or removes in a workspace', () => {
  const [own, away] = [folder.in('own'), folder.in('elsewhere')]
  beforeEach(() => {
    for (const place of [own, away]) rmSync(place, { recursive: true, force: true })
    mkdirSync(own)
    mkdirSync(away)
    writeFileSync(`${away}/file`, 'outside')
    symlinkSync(away, `${own}/folder`)
    symlinkSync(`${away}/file`, `${own}/link`)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['written as a file', () => writeBelow(own, 'link', 'changed', undefined)],
    ['written in a folder', () => writeBelow(own, 'folder/file', 'changed', undefined)],
    ['written anew', () => writeBelow(own, 'folder/new', 'new', undefined)],
    ['made', () => makeBelow(`${own}/folder`, 'new', undefined)],
    ['read as a file', () => readBelow(own, 'link', 100, undefined)],
    ['read in a folder', () => readBelow(own, 'folder/file', 100, undefined)],
    ['removed', () => removeBelow(own, Buffer.from('folder/file'))],
  ])('is not gone through: nothing is %s', async (_what, use) => {
    if (process.platform !== 'linux') return console.error('SKIPPED: only Linux names what is held open')
    await expect(use()).rejects.toBeDefined()
    expect(readdirSync(away)).toEqual(['file'])
    expect(readFileSync(`${away}/file`, 'utf8')).toBe('outside')
  })
})

describe('a hard link to a file of another user in the workspace of a user of its own', () => {
  const OWNER = 60_999
  const files = workspaceFiles(root, { owner: async () => OWNER })
  const cases: [string, () => Promise<unknown>][] = [
    ['read', () => files.read('linked', 100)],
    ['written', () => files.write('linked', 'changed')],
    ['read by the service', () => readBelow(root, 'linked', 100, OWNER)],
    ['written by the service', () => writeBelow(root, 'linked', 'changed', OWNER)],
  ]

  it.each(cases)('is not %s', async (_what, use) => {
    if (process.getuid?.() !== 0) return console.error('SKIPPED: only root works on files of another user')
    rmSync(`${root}/linked`, { force: true })
    linkSync(outside, `${root}/linked`)
    await expect(use()).rejects.toMatchObject({ code: 'path_unfit' })
    expect(readFileSync(outside, 'utf8')).toBe('outside')
    expect(statSync(outside).uid).toBe(0)
  })

  it('is not kept as an object of the repository', async () => {
    if (process.getuid?.() !== 0) return console.error('SKIPPED: only root works on files of another user')
    mkdirSync(`${root}/.git/objects/ab`, { recursive: true })
    const own = `${root}/.git/objects/ab/cd`
    writeFileSync(own, 'an object')
    chownSync(own, OWNER, OWNER)
    linkSync(outside, `${root}/.git/objects/ab/ef`)
    const kept = folder.in('kept')
    await keepObjects({ root, own: folder.in('own'), kept }, OWNER)
    expect(readdirSync(`${kept}/ab`)).toEqual(['cd'])
  })
})
