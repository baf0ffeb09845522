import { describe, expect, it } from '@jest/globals'
import { createWorkbench } from '../../fakes/workbench.ts'
import { expectedReads, oddWorkspaces, readOddWorkspaces, readWithoutRoot } from './odd-workspaces.ts'

describe('the changes of a workspace with odd files', () => {
  it('are read by a service that is not root, without a sandbox', async () => {
    expect(await readWithoutRoot('oddWorkspaces')).toEqual(expectedReads(oddWorkspaces))
  })

  it('are read in a sandbox as without one', async () => {
    await using bench = await createWorkbench({ sandboxed: true })
    expect(await readOddWorkspaces(bench, oddWorkspaces)).toEqual(expectedReads(oddWorkspaces))
  })
})
