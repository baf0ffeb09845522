import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { readConfig } from '../../lib/config/config.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createConnections } from '../../lib/oauth/connections.ts'
import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import { createProviders } from '../../lib/oauth/providers.ts'
import { createRenewal } from '../../lib/oauth/renewal.ts'
import { authorizationRequests, type LinkedAccountRow, linkedAccounts } from '../../lib/oauth/rows.ts'
import type { ProviderName } from '../../lib/oauth/schema.ts'
import type { Store } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { startDatabase } from '../fakes/database.ts'
import { createFakeLog } from '../fakes/log.ts'
import type { TestProvider } from './provider.ts'

const collections = [authorizationRequests, linkedAccounts] as unknown as readonly Collection[]
const key = entropy(32)
export const USER = 'user_1'

/** The machine's clock, of which a test may move the time. */
export const createMovedClock = () => {
  const clock = createClock()
  const moved = { ms: 0 }
  const move = (ms: number) => {
    moved.ms += ms
  }
  return { ...clock, now: () => clock.now() + moved.ms, move }
}
export type MovedClock = ReturnType<typeof createMovedClock>

type Needs = { store: Store; clock: MovedClock; provider: TestProvider; timeoutMs?: number }

/** Linked accounts as one process has them; several may share a store. */
export const openProcess = ({ store, clock, provider, timeoutMs = 10_000 }: Needs) => {
  const cipher = createCipher({ keys: () => [key], entropy })
  const log = createFakeLog()
  const readAccountStatus = async () => ({ role: 'user' as const, disabled: false })
  const accounts = createLinkedAccounts({ store, cipher, clock, readAccountStatus })
  const { accounts: clients, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = readConfig(provider.env())
  const providers = createProviders({
    settings: { accounts: clients, oidc: { issuer, clientId } },
    fetch: createProviderFetch({ timeoutMs }),
    clock,
    log,
  })
  const workingToken = createRenewal({ store, clock, log, accounts })

  /** Links an account to the user by the real exchange of a code. */
  const link = async (name: ProviderName) => {
    const there = providers.get(name)
    if (there === undefined) throw new Error(`${name} is not configured`)
    provider.register('http://here.test')
    const redirectUri = `http://here.test/api/auth/${name}/callback`
    const departure = {
      redirectUri,
      state: 'state',
      verifier: entropy(32).toString('base64url'),
      nonce: 'nonce',
    }
    const back = await provider.agree(await there.authorizationUrl(departure))
    const code = back.searchParams.get('code') ?? ''
    const { profile, tokens } = await there.exchange({ ...departure, code })
    await accounts.link(there, USER, profile, tokens)
  }
  const row = async (): Promise<LinkedAccountRow | undefined> => (await accounts.ofUser(USER))[0]
  const accessToken = async (userId: string, name: ProviderName) => {
    const there = providers.get(name)
    const linked = (await accounts.ofUser(userId)).find(({ provider: at }) => at === name)
    return there && linked && workingToken(linked.id, there)
  }
  return { log, accounts, link, row, accessToken, ...createConnections({ accounts, providers, log }) }
}

export type Medium = { open: (clock: MovedClock) => Promise<() => Store>; close: () => Promise<void> }

/** Every storage that linked accounts are kept in; `open` gives stores of one and the same storage. */
export const media: [name: string, start: () => Promise<Medium>][] = [
  [
    'SQLite',
    async () => ({
      open: async (clock) => {
        const store = openSqliteStore({ file: ':memory:', collections, clock })
        return () => store
      },
      close: async () => undefined,
    }),
  ],
  [
    'DynamoDB',
    async () => {
      const { client, stop } = await startDatabase()
      return { open: async (clock) => (await openTables({ client, collections, clock })).again, close: stop }
    },
  ],
]

/** For the tests of a suite: what `create` makes of one and the same storage, anew with each call, with its own for each test. */
export const inEach = <T>(
  start: () => Promise<Medium>,
  create: (again: () => Store, clock: MovedClock) => T,
): (() => T) => {
  let medium: Medium
  let open: () => T
  beforeAll(async () => {
    medium = await start()
  })
  afterAll(() => medium.close())
  beforeEach(async () => {
    const clock = createMovedClock()
    const again = await medium.open(clock)
    open = () => create(again, clock)
  })
  return () => open()
}
