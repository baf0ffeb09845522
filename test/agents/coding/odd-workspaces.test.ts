import { describe, expect, it } from '@jest/globals'
import { commonOddWorkspaces, expectedReads, readWithoutRoot } from './odd-workspaces.ts'

describe('the changes of a workspace with odd files that are common', () => {
  it('are read by a service that is not root, without a sandbox', async () => {
    expect(await readWithoutRoot('commonOddWorkspaces')).toEqual(expectedReads(commonOddWorkspaces))
  })
})
