import { describe, expect, it } from '@jest/globals'
import { createWorkbench } from '../../fakes/workbench.ts'
import { expectedReads, oddWorkspaces, readOddWorkspaces, titledReads } from './odd-workspaces.ts'

describe('the changes of a workspace with odd files', () => {
  it('are read in a sandbox as without one', async () => {
    await using bench = await createWorkbench({ sandboxed: true })
    expect(titledReads(await readOddWorkspaces(bench, oddWorkspaces))).toEqual(expectedReads)
  })
})
