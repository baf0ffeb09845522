import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals'
import { workspaceFiles } from '../../lib/adapters/node/workspace-files.ts'
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
