import { describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import type { Provider } from '../../lib/oauth/provider.ts'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'

const provider = { name: 'codehost', realm: 'https://codehost.example' } as Provider

const opened = () => {
  const clock = createFakeClock()
  const collections = [linkedAccounts] as unknown as readonly Collection[]
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const key = entropy(32)
  const cipher = createCipher({ keys: () => [key], entropy })
  return createLinkedAccounts({ store, cipher, clock, readAccountStatus: async () => undefined })
}

describe('the picture of a linked account', () => {
  it.each([
    ['https://example.com/a.png', 'https://example.com/a.png'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['http://example.com/a.png', undefined],
    ['//example.com/a.png', undefined],
    [' javascript:alert(1)//https://', undefined],
  ])('that the provider says is %j is kept as %j', async (avatarUrl, kept) => {
    const accounts = opened()
    await accounts.link(provider, 'user_ann', { subject: '1', emailVerified: true, avatarUrl }, undefined)
    expect((await accounts.ofUser('user_ann')).map((row) => row.avatarUrl)).toEqual([kept])
  })
})
