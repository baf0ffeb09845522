import { beforeAll, describe, expect, it } from '@jest/globals'
import { printStage } from './serverless.ts'
import type { Resource } from './template.ts'

// To print a stage takes half a minute: the quick tier prints prod alone.
describe('stage dev, which is for trying', () => {
  let resources: Readonly<Record<string, Resource>>
  beforeAll(() => {
    resources = printStage('dev').resources.Resources
  })

  it('leaves nothing behind', () => {
    const policies = (which: 'DeletionPolicy' | 'UpdateReplacePolicy') =>
      Object.values(resources).flatMap((resource) => resource[which] ?? [])
    expect(new Set(policies('DeletionPolicy'))).toEqual(new Set(['Delete']))
    expect(new Set(policies('UpdateReplacePolicy'))).toEqual(new Set(['Delete']))
  })

  it('does without versions of files', () => {
    const { VersioningConfiguration } = resources.FilesBucket?.Properties ?? {}
    expect(VersioningConfiguration).toEqual({ Status: 'Suspended' })
  })
})
