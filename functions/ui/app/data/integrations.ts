import type { CatalogName } from '../../../../lib/oauth/catalog.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export type AccountName = CatalogName

/** `scopes` is empty if the provider does not report them. */
export type Connection = {
  connected: boolean
  username?: string | undefined
  siteName?: string | undefined
  tokenExpiry?: string | undefined
  workspaceName?: string | undefined
  teams?: readonly { id: string; name: string; key: string }[]
  scopes: readonly string[]
  /** Scopes that linking requests now. */
  askedScopes: readonly string[]
  /** Whether task results may be posted as comments. */
  mayComment: boolean
  webhookConfigured?: boolean
  aiTaskLabel?: string
}

const reads: Readonly<Record<AccountName, (signal: AbortSignal) => Promise<Connection>>> = {
  codehost: (signal) => client.getCodehostConnection({}, { signal }),
  trackera: (signal) => client.getTrackeraConnection({}, { signal }),
  trackerb: (signal) => client.getTrackerbConnection({}, { signal }),
}
const ends: Readonly<Record<AccountName, () => Promise<unknown>>> = {
  codehost: () => client.disconnectCodehost(),
  trackera: () => client.disconnectTrackera(),
  trackerb: () => client.disconnectTrackerb(),
}
export const connectionsKey = ['connections'] as const

export const useConnection = (name: AccountName) =>
  useLive([...connectionsKey, name], (signal) => reads[name](signal), EVERY_MS.calm)

export const useDisconnect = (name: AccountName) => useChange(() => ends[name](), connectionsKey, ['me'])

const webSearch = ['web-search'] as const

/** Keys are masked. */
export const useWebSearch = () =>
  useLive(webSearch, (signal) => client.getWebSearch({}, { signal }), EVERY_MS.calm)
export type WebSearchAnswer = NonNullable<ReturnType<typeof useWebSearch>['data']>
export type WebSearchChange = NonNullable<NonNullable<Parameters<typeof client.changeWebSearch>[0]>['body']>

export const useChangeWebSearch = () =>
  useChange((body: WebSearchChange) => client.changeWebSearch({ body }), webSearch)
