import type { GrantSession } from '../auth/schema.ts'
import { Problem } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import type { Principal } from '../core/principal.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { createAccountAccess } from './account-access.ts'
import { createAuthorizationRequests } from './authorization-requests.ts'
import { createConnections } from './connections.ts'
import { createFlow, type Flow } from './flow.ts'
import { createLinkedAccounts } from './linked-accounts.ts'
import { createProviders, type ProviderSettings } from './providers.ts'
import { createRenewal } from './renewal.ts'
import { FailureSchema } from './schema.ts'

type AuditRefusalsNeeds = {
  limiter: Limiter
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

/** A person who declines, and a provider that does not answer, are no refusals of this service. */
const RefusalSchema = FailureSchema.exclude(['access_denied', 'provider_unreachable', 'oauth_not_configured'])

/** Anyone can make up a state, and records are kept for long: refusals over this limit go to the log only. */
const AUDITED = { name: 'oauthRefused', calls: 10, windowMs: 60_000 }

const createAuditRefusals =
  ({ limiter, audit }: AuditRefusalsNeeds) =>
  (finish: Flow['finish']): Flow['finish'] =>
  async (provider, returned, call) => {
    try {
      return await finish(provider, returned, call)
    } catch (thrown) {
      const { data: reason } = RefusalSchema.safeParse(thrown instanceof Problem ? thrown.code : undefined)
      const { address } = call.origin()
      if (reason !== undefined && (await limiter.take(AUDITED, addressNetwork(address))) === 0)
        await audit(call.principal, 'auth.refused', { with: provider, reason, address })
      throw thrown
    }
  }

type Needs = Omit<Parameters<typeof createFlow>[0], 'providers' | 'authorizationRequests' | 'accounts'> &
  Parameters<typeof createAuthorizationRequests>[0] &
  Pick<Parameters<typeof createAccountAccess>[0], 'adminIds'> & {
    log: Log
    providerFetch: ProviderFetch
    settings: ProviderSettings
    grantSession: GrantSession
  }

/** Accounts of people at providers: signing in with them, and access through them. */
export const createOAuth = (needs: Needs) => {
  const { grantSession, log } = needs
  const providers = createProviders({ ...needs, fetch: needs.providerFetch })
  const accounts = createLinkedAccounts(needs)
  const { begin, finish, providerStatuses } = createFlow({
    ...needs,
    providers,
    accounts,
    authorizationRequests: createAuthorizationRequests(needs),
  })
  const flow = { begin, finish: createAuditRefusals(needs)(finish), providerStatuses }
  const workingToken = createRenewal({ ...needs, accounts })
  return {
    flow,
    grantSession,
    log,
    ...createConnections({ accounts, providers, log }),
    access: createAccountAccess({ ...needs, accounts, providers, workingToken }),
  }
}
