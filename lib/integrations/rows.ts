import { collection } from '../core/collection.ts'
import type { WebSearchProviderId } from '../ports/web-search.ts'

export type StoredKey = { sealed: string; masked: string }
export type StoredAccess = { baseUrl?: string; key?: StoredKey }

/** The settings of web search. `version` grows with each change, so that concurrent changes do not undo each other. */
export type WebSearchRow = {
  id: string
  version: number
  enabled: boolean
  provider: WebSearchProviderId
  access: Readonly<Partial<Record<WebSearchProviderId, StoredAccess>>>
}

export const WEB_SEARCH_ID = 'web-search'

export const integrationRows = collection<WebSearchRow>({ name: 'integrations', key: 'id', indexes: {} })
