import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { ReadAccountStatus } from '../../lib/accounts/schema.ts'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createCodeHostAccount } from '../../lib/oauth/account-access.ts'
import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import type { Provider } from '../../lib/oauth/provider.ts'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createMovedClock } from './processes.ts'

const HOUR_MS = 3_600_000
const REALM = 'https://api.github.com'

type Status = Awaited<ReturnType<ReadAccountStatus>>

let clock: ReturnType<typeof createMovedClock>
let store: SqliteStore
let statuses: Record<string, Status>
let admins: string[]
beforeEach(() => {
  clock = createMovedClock()
  store = openSqliteStore({
    file: ':memory:',
    clock,
    collections: [linkedAccounts] as unknown as readonly Collection[],
  })
  statuses = { ann: { role: 'user', disabled: false }, root: { role: 'admin', disabled: false } }
  admins = ['root', 'boss']
})
afterEach(() => store.close())

const key = entropy(32)
const means = () => ({
  store,
  clock,
  log: createFakeLog(),
  cipher: createCipher({ keys: () => [key], entropy }),
  readAccountStatus: async (id: string) => statuses[id],
})

/** Links an account with a token; each is linked later than the last. */
const link = async (
  userId: string,
  token: string,
  { realm = REALM, name = 'codehost', expiresInMs }: Link = {},
) => {
  clock.move(1_000)
  const provider = { name, realm } as Provider
  const tokens = { accessToken: token, scopes: ['repo'], ...(expiresInMs ? { expiresInMs } : {}) }
  const profile = { subject: `subject of ${token}`, emailVerified: false }
  await createLinkedAccounts(means()).link(provider, userId, profile, tokens)
}
type Link = { realm?: string; name?: Provider['name']; expiresInMs?: number }

const tokenFor = async (userId: string, settings = {}) => {
  const needs = { ...means(), providerFetch: createProviderFetch(), settings, adminIds: async () => admins }
  return (await createCodeHostAccount(needs)(userId))?.token
}

describe('the account of the code host that a task is run with', () => {
  it('is that of its creator, and of a task of a webhook the one that an admin linked last', async () => {
    expect(await tokenFor('webhook:codehost')).toBeUndefined()
    await link('boss', 'of-boss')
    await link('root', 'of-root')
    await link('bob', 'of-bob')
    expect(await tokenFor('webhook:codehost')).toBe('of-root')
    await link('boss', 'of-boss-again')
    expect(await tokenFor('webhook:codehost')).toBe('of-boss-again')
    // A user borrows no account of an admin.
    expect(await tokenFor('ann')).toBeUndefined()
    await link('ann', 'of-ann')
    expect(await tokenFor('ann')).toBe('of-ann')
  })

  it.each(['local', 'user_deleted', 'anonymous'])(
    'is none for %s, of whom there is no user: an admin’s is lent to webhooks alone',
    async (userId) => {
      await link('root', 'of-root')
      await link(userId, 'of-before')
      expect(await tokenFor(userId)).toBeUndefined()
    },
  )

  it('is none for who is disabled, not even an admin’s', async () => {
    await link('root', 'of-root')
    await link('ann', 'of-ann')
    statuses.ann = { role: 'user', disabled: true }
    expect(await tokenFor('ann')).toBeUndefined()
  })

  it('is none of another provider, of another code host, or whose token ran out', async () => {
    await link('ann', 'of-tracker', { name: 'trackera' })
    await link('ann', 'of-elsewhere', { realm: 'https://code.example' })
    await link('ann', 'for-an-hour', { expiresInMs: HOUR_MS })
    expect(await tokenFor('ann')).toBe('for-an-hour')
    clock.move(HOUR_MS)
    expect(await tokenFor('ann')).toBeUndefined()
    expect(await tokenFor('ann', { apiUrl: 'https://code.example/api/v3' })).toBe('of-elsewhere')
  })
})
