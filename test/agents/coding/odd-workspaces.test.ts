import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { expectedReads, titledReads } from './odd-workspaces.ts'

describe('the changes of a workspace with odd files', () => {
  it('are read by a service that is not root, without a sandbox', async () => {
    const script = `
      import { oddWorkspaces, readOddWorkspaces } from './test/agents/coding/odd-workspaces.ts'
      import { createWorkbench } from './test/fakes/workbench.ts'
      const bench = await createWorkbench()
      console.log(JSON.stringify(await readOddWorkspaces(bench, oddWorkspaces)))
      await bench[Symbol.asyncDispose]()`
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const options = ['--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, options, user)
    expect(titledReads(JSON.parse(stdout))).toEqual(expectedReads)
  })
})
