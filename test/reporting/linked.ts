import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import { createProviders } from '../../lib/oauth/providers.ts'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import type { StartedDomains } from '../fakes/service.ts'
import { TOKEN } from '../fakes/trackers.ts'

export const WRITES: Readonly<Record<TrackerName, readonly string[]>> = {
  codehost: ['repo'],
  trackera: ['read:jira-work', 'write:jira-work'],
  trackerb: ['read', 'write'],
}

type Link = { userId?: string; scopes?: readonly string[]; token?: string; username?: string }

/** Links an account, as the end of the way to the provider does; the local admin's where nobody is named. */
export const linkAccount = async (
  { ports, config, readAccountStatus }: StartedDomains,
  name: TrackerName,
  { userId = 'local', scopes = WRITES[name], token = TOKEN, username = 'ann' }: Link = {},
): Promise<void> => {
  const providers = createProviders({
    settings: { accounts: config.accounts, oidc: {} },
    fetch: ports.providerFetch,
    clock: ports.clock,
    log: ports.log,
  })
  const provider = providers.get(name)
  if (provider === undefined) throw new Error(`${name} is not configured`)
  const profile = { subject: `${userId}-${username}`, username, emailVerified: false }
  const workplace = { cloudId: 'cloud-1', siteName: 'acme' }
  await createLinkedAccounts({ ...ports, readAccountStatus }).link(
    provider,
    userId,
    { ...profile, ...(name === 'trackera' ? { workplace } : {}) },
    { accessToken: token, scopes },
  )
}
