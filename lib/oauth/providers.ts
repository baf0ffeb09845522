import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { type CatalogName, catalog } from './catalog.ts'
import { type ClientSettings, createOauthProvider } from './oauth-provider.ts'
import { createOidcProvider, type IssuerSettings } from './oidc-provider.ts'
import type { Provider } from './provider.ts'
import type { ProviderName } from './schema.ts'

/** The operator's settings of each provider. A provider without client id and secret is not configured. */
export type ProviderSettings = {
  accounts: Readonly<
    Record<CatalogName, { [Field in keyof ClientSettings]?: ClientSettings[Field] | undefined }>
  >
  oidc: { [Field in keyof IssuerSettings]?: string | undefined }
}
type Needs = { settings: ProviderSettings; fetch: ProviderFetch; clock: Clock; log: Log }

export type Providers = ReadonlyMap<ProviderName, Provider>

export const createProviders = ({ settings, fetch, clock, log }: Needs): Providers => {
  const providers = new Map<ProviderName, Provider>()
  for (const name of Object.keys(catalog) as CatalogName[]) {
    const { clientId, clientSecret, ...urls } = settings.accounts[name]
    if (clientId !== undefined && clientSecret !== undefined)
      providers.set(name, createOauthProvider({ name, settings: { clientId, clientSecret, ...urls }, fetch }))
  }
  const { issuer, clientId, clientSecret } = settings.oidc
  if (issuer !== undefined && clientId !== undefined)
    providers.set(
      'oidc',
      createOidcProvider({ settings: { issuer, clientId, clientSecret }, fetch, clock, log }),
    )
  return providers
}
