import { type CatalogName, catalog } from './catalog.ts'

type Place = { apiUrl?: string | undefined }

/** Where the API of a provider is: at the operator's address, else at its own. */
export const apiUrlOf = (name: CatalogName, { apiUrl }: Place): string => apiUrl ?? catalog[name].apiUrl

export const apiUrlsOf = (
  accounts: Readonly<Record<CatalogName, Place>>,
): Readonly<Record<CatalogName, string>> => ({
  codehost: apiUrlOf('codehost', accounts.codehost),
  trackera: apiUrlOf('trackera', accounts.trackera),
  trackerb: apiUrlOf('trackerb', accounts.trackerb),
})
