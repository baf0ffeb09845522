import { type CatalogName, catalog } from './catalog.ts'

type Settings = Readonly<Record<CatalogName, { apiUrl?: string | undefined }>>

/** Where the API of each provider is: at the operator's address, else at its own. */
export const apiUrlsOf = (accounts: Settings): Readonly<Record<CatalogName, string>> => ({
  codehost: accounts.codehost.apiUrl ?? catalog.codehost.apiUrl,
  trackera: accounts.trackera.apiUrl ?? catalog.trackera.apiUrl,
  trackerb: accounts.trackerb.apiUrl ?? catalog.trackerb.apiUrl,
})
