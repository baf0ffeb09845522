import { createLinkedAccountLookup } from '../../lib/oauth/linked-accounts.ts'
import type { ProviderName } from '../../lib/oauth/schema.ts'
import type { StartedDomains } from '../fakes/service.ts'

type Needs = Pick<StartedDomains, 'store' | 'oauth'>

/** The working token of the account that a user linked last with a provider; undefined where there is none. */
export const linkedToken = async ({ store, oauth }: Needs, userId: string, name: ProviderName) => {
  const row = (await createLinkedAccountLookup(store)(userId)).find(({ provider }) => provider === name)
  return row && oauth.access.validToken(row.id, name)
}
