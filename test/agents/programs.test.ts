import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { searchProgram } from '../../lib/adapters/agents/programs.ts'

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
  program('home/me/..odd/data/fix')
  symlinkSync(at('home/me/node_modules/fix/bin.js'), at('home/me/link'))
  symlinkSync(at('home/me/fix'), at('opt/link'))
  symlinkSync(at('home'), at('homes'))
})
afterAll(() => rmSync(root, { recursive: true }))

describe('a program of an agent', () => {
  it.each([
    ['opt/fix', 'opt/fix', ['opt']],
    ['home/me/bin/fix', 'home/me/bin/fix', ['home/me/bin']],
    // In a private folder, or above one.
    ['home/me/fix', 'home/me/fix', ['home/me/fix']],
    ['home/fix', 'home/fix', ['home/fix']],
    ['home/me/data/fix', 'home/me/data/fix', ['home/me/data/fix']],
    ['home/me/..odd/data/fix', 'home/me/..odd/data/fix', ['home/me/..odd/data/fix']],
    // By links.
    ['homes/me/fix', 'home/me/fix', ['home/me/fix']],
    ['opt/link', 'home/me/fix', ['home/me/fix']],
    ['home/me/link', 'home/me/node_modules/fix/bin.js', ['home/me/node_modules']],
  ])('%s is run as %s, and the sandbox shows %j', async (command, file, reads) => {
    const privateFolders = [at('homes/me'), at('home/me/data'), at('home/me/..odd/data'), at('missing')]
    const found = await searchProgram(at(command), { PATH: '', privateFolders }).look()
    expect(found).toEqual({ file: at(file), reads: reads.map(at) })
  })
})
