import type { Config } from '../config.ts'
import { codeHostGit } from '../oauth/catalog.ts'
import { createCodeHostAccount } from '../oauth/code-host-account.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

type CodeHostPorts = AuthPorts & { cipher: Cipher; providerFetch: ProviderFetch }

/** The accounts of the code host that tasks are run with, and whether their changes are to become pull requests. */
export const joinCodeHost = (
  { accountStatusOf, adminIds, settings }: AuthContext,
  ports: CodeHostPorts,
  config: Config,
) => ({
  accountFor: createCodeHostAccount({
    ...ports,
    ...{ accountStatusOf, adminIds, settings: config.accounts.codehost },
  }),
  isWanted: (): boolean => settings.current().reporting.pullRequests,
})

/**
 * Where `owner/repo` lives, and whether that is the code host whose accounts people link: tokens go nowhere else. Without a
 * setting of its own it is the site that people sign in at.
 */
export const codeHostPlace = ({ CODEHOST_GIT_URL, accounts }: Config) => {
  const base = CODEHOST_GIT_URL ?? codeHostGit(accounts.codehost)
  return base === undefined ? { isLinked: false } : { base, isLinked: true }
}
