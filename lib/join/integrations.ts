import type { Config } from '../config.ts'
import { createConnectionStatus, createDisconnect } from '../integrations/connections.ts'
import { createWebSearch } from '../integrations/web-search.ts'
import { catalog, scopesAsked } from '../oauth/catalog.ts'
import { createConnectionOf } from '../oauth/connection.ts'
import { createAccountsOf } from '../oauth/linked-accounts.ts'
import { isReporter } from '../oauth/linking.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { WebSearchProviders } from '../ports/web-search.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'
import type { SignIn } from './sign-in.ts'

export type WebSearchPorts = AuthPorts & {
  cipher: Cipher
  outbound: Pick<Outbound, 'check'>
  webSearchProviders: WebSearchProviders
}

/** The search of the web that this installation has. */
export const joinWebSearch = ({ audit }: Pick<AuthContext, 'audit'>, ports: WebSearchPorts) =>
  createWebSearch({ ...ports, providers: ports.webSearchProviders, audit: audit.record })

/** How accounts elsewhere stand, as those can tell who open no tokens. */
export const joinConnectionStatus = (
  { settings }: Pick<AuthContext, 'settings'>,
  { store }: Pick<AuthPorts, 'store'>,
  config: Config,
) =>
  createConnectionStatus({
    connectionOf: createConnectionOf({ ofUser: createAccountsOf(store) }),
    rightsOf: (principal, name, account) => {
      const reports = isReporter(principal, settings.current().reporting.comments)
      return {
        askedScopes: scopesAsked(name, config.accounts[name].linkScopes, reports),
        mayComment: reports && account?.connected === true && catalog[name].writes(account.scopes),
      }
    },
    hasWebhookSecret: config.inbound.codehost.webhookSecret !== undefined,
    aiTaskLabel: config.AI_TASK_LABEL,
  })

/** How an account elsewhere is given up. */
export const joinDisconnect = ({ audit }: Pick<AuthContext, 'audit'>, { oauth }: Pick<SignIn, 'oauth'>) =>
  createDisconnect({ unlink: oauth.unlink, audit: audit.record })
