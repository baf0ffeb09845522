import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { findPrivateFolder, type PrivateFolder, searchProgram } from '../../lib/adapters/agents/programs.ts'

let root = ''
const at = (name: string) => path.join(root, name)
const program = (name: string) => {
  mkdirSync(path.dirname(at(name)), { recursive: true })
  writeFileSync(at(name), '#!/bin/sh\n')
  chmodSync(at(name), 0o755)
}

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'programs-')))
  for (const name of ['opt/fix', 'home/fix', 'home/me/fix', 'home/me/bin/fix', 'home/me/data/fix'])
    program(name)
  program('home/me/node_modules/fix/bin.js')
  program('home/me/data/bin/fix')
  program('home/me/..odd/data/fix')
  symlinkSync(at('home/me/node_modules/fix/bin.js'), at('home/me/link'))
  symlinkSync(at('home/me/fix'), at('opt/link'))
  symlinkSync(at('home'), at('homes'))
  symlinkSync(at('home'), at('opt/home'))
  symlinkSync(at('home/me/data/bin'), at('opt/data'))
})
afterAll(() => rmSync(root, { recursive: true }))

const privateFolder = (name: string, isClosed: boolean): PrivateFolder => ({ path: at(name), name, isClosed })
const privateFolders = () => [
  privateFolder('homes/me', false),
  privateFolder('home/me/data', true),
  privateFolder('home/me/..odd/data', true),
  privateFolder('missing', true),
]

describe('a program of an agent', () => {
  it.each([
    ['opt/fix', 'opt/fix', ['opt']],
    ['home/me/bin/fix', 'home/me/bin/fix', ['home/me/bin']],
    // In a private folder, or above one.
    ['home/me/fix', 'home/me/fix', ['home/me/fix']],
    ['home/fix', 'home/fix', ['home/fix']],
    ['home/me/data/fix', 'home/me/data/fix', ['home/me/data/fix']],
    ['home/me/data/bin/fix', 'home/me/data/bin/fix', ['home/me/data/bin/fix']],
    ['home/me/..odd/data/fix', 'home/me/..odd/data/fix', ['home/me/..odd/data/fix']],
    // By links.
    ['homes/me/fix', 'home/me/fix', ['home/me/fix']],
    ['opt/link', 'home/me/fix', ['home/me/fix']],
    ['home/me/link', 'home/me/node_modules/fix/bin.js', ['home/me/node_modules']],
  ])('%s is run as %s, and the sandbox shows %j', async (command, file, reads) => {
    const places = { PATH: '', privateFolders: privateFolders() }
    const found = await searchProgram(at(command), places).look()
    expect(found).toEqual({ file: at(file), reads: reads.map(at) })
  })
})

describe('a folder that a sandbox is asked to show', () => {
  it.each([
    ['opt', undefined],
    ['opt/absent', undefined],
    ['home/me/bin', undefined],
    ['home/me/data-of-others', undefined],
    ['home/me', 'homes/me'],
    ['home', 'homes/me'],
    ['homes', 'homes/me'],
    ['.', 'homes/me'],
    ['home/me/bin/../..', 'homes/me'],
    ['opt/link', undefined],
    ['opt/home', 'homes/me'],
    ['home/me/data', 'home/me/data'],
    ['home/me/data/bin', 'home/me/data'],
    ['opt/data', 'home/me/data'],
    ['home/me/..odd', 'home/me/..odd/data'],
    ['missing/part', 'missing'],
  ])('%s shows the private folder %s', async (folder, found) => {
    expect((await findPrivateFolder(path.join(root, folder), privateFolders()))?.name).toBe(found)
  })
})
