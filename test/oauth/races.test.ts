import { describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createAuthorizationRequests } from '../../lib/oauth/authorization-requests.ts'
import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import type { Provider } from '../../lib/oauth/provider.ts'
import type { Store } from '../../lib/ports/store.ts'
import { inEach, type MovedClock, media } from './processes.ts'

const key = entropy(32)
const cipher = createCipher({ keys: () => [key], entropy })
const provider = { name: 'codehost', realm: 'https://api.example' } as Provider
const profile = { subject: '1', emailVerified: true }
const tokens = { accessToken: 'token', scopes: [] }
const range = (count: number) => Array.from({ length: count }, (_, at) => at)

describe.each(media)('what is decided by one write, in %s', (_name, start) => {
  const create = (again: () => Store, clock: MovedClock) => {
    const gone = new Set<string>()
    const readAccountStatus = async (userId: string) =>
      gone.has(userId) ? undefined : { role: 'user' as const, disabled: false }
    const needs = { store: again(), cipher, entropy, clock, readAccountStatus }
    return {
      gone,
      clock,
      authorizationRequests: createAuthorizationRequests(needs),
      accounts: createLinkedAccounts(needs),
    }
  }
  const open = inEach(start, create)

  it('a sign-in ends once, for one of many who end it', async () => {
    const [one, other] = [open(), open()]
    const redirectUri = 'https://here.example/back'
    const begun = await one.authorizationRequests.begin({
      provider: 'codehost',
      redirectUri,
      invite: 'inv_1',
    })
    const ended = await Promise.all(
      range(20).map((at) => (at % 2 ? one : other).authorizationRequests.end('codehost', begun)),
    )
    const { verifier, nonce } = begun
    expect(ended.filter((each) => each !== undefined)).toEqual([
      expect.objectContaining({ provider: 'codehost', redirectUri, verifier, nonce, invite: 'inv_1' }),
    ])
  })

  it('a sign-in does not end after ten minutes', async () => {
    const { authorizationRequests, clock } = open()
    const begun = await authorizationRequests.begin({
      provider: 'codehost',
      redirectUri: 'https://here.example',
    })
    clock.move(600_001)
    expect(await authorizationRequests.end('codehost', begun)).toBeUndefined()
  })

  it('an account becomes one user’s, of many who link it', async () => {
    const processes = [open(), open()]
    const settled = await Promise.allSettled(
      range(20).map((at) => processes[at % 2]?.accounts.link(provider, `user_${at}`, profile, tokens)),
    )
    const refusals = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
    expect(refusals).toEqual(range(19).map(() => 'account_taken'))
    const owned = await Promise.all(range(20).map((at) => processes[0]?.accounts.ofUser(`user_${at}`)))
    expect(owned.flat()).toHaveLength(1)
  })

  it('an account whose owner is gone becomes one user’s, of many who link it', async () => {
    const { accounts, gone } = open()
    await accounts.link(provider, 'user_gone', profile, tokens)
    gone.add('user_gone')
    const settled = await Promise.allSettled(
      range(10).map((at) => accounts.link(provider, `user_${at}`, profile, tokens)),
    )
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await accounts.ofUser('user_gone')).toEqual([])
  })

  it('one subject with two providers, or at two addresses of one, is two accounts', async () => {
    const { accounts } = open()
    await accounts.link(provider, 'user_1', profile, tokens)
    await accounts.link({ ...provider, name: 'trackera' }, 'user_2', profile, tokens)
    await accounts.link({ ...provider, realm: 'https://other.example' }, 'user_3', profile, tokens)
    expect(await accounts.ofUser('user_3')).toHaveLength(1)
  })
})
