import { describe, expect, it } from '@jest/globals'
import { createClaimFacts } from '../../lib/app/runner/claim-facts.ts'
import type { Claim } from '../../lib/runners/schema.ts'

const facts = (...claims: [createdBy: string, more: object][]) =>
  createClaimFacts(
    new Map(
      claims.map(([createdBy, more], n) => [
        `task_${n}`,
        { claim: { task: { createdBy }, ...more } as unknown as Claim },
      ]),
    ),
  )
const account = (token: string) => ({ credential: { token, scopes: [] } })

describe('what the claims of a runner say', () => {
  it.each<[string, [string, object][], string | undefined]>([
    [
      'of a user who has also a task without a repository',
      [
        ['ann', {}],
        ['ann', account('a')],
      ],
      'a',
    ],
    [
      'in the other order',
      [
        ['ann', account('a')],
        ['ann', {}],
      ],
      'a',
    ],
    [
      'the newest, which is valid for longest',
      [
        ['ann', account('a')],
        ['ann', account('b')],
      ],
      'b',
    ],
    [
      'of no other user',
      [
        ['ann', {}],
        ['bob', account('b')],
      ],
      undefined,
    ],
    ['of no claim', [], undefined],
  ])('is the account %s', async (_what, claims, token) => {
    expect((await facts(...claims).accountFor('ann'))?.token).toBe(token)
  })

  it('is the mode of the newest, and without one the mode that asks', () => {
    expect(facts(['ann', { securityMode: 'full' }], ['bob', { securityMode: 'deny' }]).securityMode()).toBe(
      'deny',
    )
    expect(facts().securityMode()).toBe('ask')
  })

  it('is whether the user is the local admin', () => {
    const { isLocalAdmin } = facts(
      ['ann', { ownerIsLocalAdmin: true }],
      ['bob', { ownerIsLocalAdmin: false }],
    )
    expect([isLocalAdmin('ann'), isLocalAdmin('bob'), isLocalAdmin('eve')]).toEqual([true, false, false])
  })
})
