import type { Config } from '../config.ts'
import { createAccountAccess } from '../oauth/account-access.ts'
import { createLinkedAccounts } from '../oauth/linked-accounts.ts'
import { createProviders } from '../oauth/providers.ts'
import { createRenewal } from '../oauth/renewal.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

type Ports = Pick<AuthPorts, 'store' | 'clock' | 'log'> & { cipher: Cipher; providerFetch: ProviderFetch }

/** Linked accounts for a function that signs nobody in. */
export const joinAccountAccess = (
  { accountStatusOf, adminIds }: Pick<AuthContext, 'accountStatusOf' | 'adminIds'>,
  ports: Ports,
  { accounts: settings }: Pick<Config, 'accounts'>,
): AccountAccess => {
  const accounts = createLinkedAccounts({ ...ports, accountStatusOf })
  return createAccountAccess({
    ...{ ...ports, accounts, adminIds },
    providers: createProviders({
      ...ports,
      fetch: ports.providerFetch,
      settings: { accounts: settings, oidc: {} },
    }),
    workingToken: createRenewal({ ...ports, accounts }),
  })
}

/** Of a function that uses nobody's account. */
export const withoutAccounts: AccountAccess = {
  writerAt: async () => undefined,
  readerOf: async () => undefined,
  tokenOf: async () => undefined,
}
