import type { AccountStatusOf, FindOrCreateUser, UserOf } from '../accounts/schema.ts'
import type { AuthMode, GrantSession } from '../auth/schema.ts'
import type { Principal } from '../core/principal.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { Store } from '../ports/store.ts'
import { createAccountAccess } from './account-access.ts'
import { createAuthorizationRequests } from './authorization-requests.ts'
import { createConnections } from './connections.ts'
import { createFlow } from './flow.ts'
import { createLinkedAccounts } from './linked-accounts.ts'
import { createProviders, type ProviderSettings } from './providers.ts'
import { createNoteRefusals } from './refusals.ts'
import { createRenewal } from './renewal.ts'

type Needs = {
  store: Store
  cipher: Cipher
  entropy: Entropy
  clock: Clock
  limiter: Limiter
  log: Log
  providerFetch: ProviderFetch
  settings: ProviderSettings
  mode: () => AuthMode
  userOf: UserOf
  accountStatusOf: AccountStatusOf
  findOrCreateUser: FindOrCreateUser
  grantSession: GrantSession
  areReportsOn: () => boolean
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
  adminIds: () => Promise<readonly string[]>
}

/** Accounts that people have elsewhere: signing in with them, and what they give access to. */
export const createOAuth = (needs: Needs) => {
  const { grantSession, log } = needs
  const providers = createProviders({ ...needs, fetch: needs.providerFetch })
  const accounts = createLinkedAccounts(needs)
  const { begin, finish } = createFlow({
    ...needs,
    ...{ providers, accounts, authorizationRequests: createAuthorizationRequests(needs) },
  })
  const flow = { begin, finish: createNoteRefusals(needs)(finish) }
  const workingToken = createRenewal({ ...needs, accounts })
  return {
    ...{ flow, grantSession, log },
    ...createConnections({ accounts, providers, log }),
    access: createAccountAccess({ ...needs, accounts, providers, workingToken }),
  }
}
