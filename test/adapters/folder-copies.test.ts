import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { createFolderCopies } from '../../lib/adapters/node/folder-copies.ts'

describe('copies in a folder', () => {
  it('are there for the next process under keys of which one begins with another, and gone when removed', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'copies-')), 'memory-index')
    const copies = createFolderCopies(folder)
    expect(await copies.get('a/1')).toBeUndefined()
    await copies.put('a/1', 'one')
    await copies.put('a/1/0', 'é')
    await copies.put('a/1', 'two')
    const next = createFolderCopies(folder)
    expect([await next.get('a/1'), await next.get('a/1/0')]).toEqual(['two', 'é'])
    // Nothing that was being written is left.
    expect(readdirSync(folder)).toEqual(['a+1', 'a+1+0'])
    await next.remove('a/1')
    await next.remove('a/1')
    expect(await copies.get('a/1')).toBeUndefined()
    await expect(copies.get('../a')).rejects.toThrow(TypeError)
    rmSync(join(folder, '..'), { recursive: true })
  })
})
