import { busyError } from '../core/contention.ts'
import { definedFields } from '../core/defined-fields.ts'
import { asFieldIssue, invalid, Problem } from '../core/errors.ts'
import { isMaskedKey, maskedKey } from '../core/masked-key.ts'
import { createMasker } from '../core/masker.ts'
import type { Actor } from '../core/principal.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import {
  WEB_SEARCH_PROVIDERS,
  type WebResult,
  type WebSearchProviderId,
  type WebSearchProviders,
} from '../ports/web-search.ts'
import {
  integrationRows,
  type StoredAccess,
  type StoredKey,
  WEB_SEARCH_ID,
  type WebSearchRow,
} from './rows.ts'
import type { WebSearchChange, WebSearchConfig, WebSearchStatus } from './schema.ts'

type Needs = {
  store: Store
  cipher: Cipher
  providers: WebSearchProviders
  outbound: Pick<Outbound, 'check'>
  clock: Clock
  entropy: Entropy
  audit: (actor: Actor, action: string, details: object) => Promise<void>
}

type Given = { baseUrl?: string | null; apiKey?: string | null }
/** New keys, sealed before the settings are read: the cipher does not delay other writers. */
type SealedKeys = ReadonlyMap<WebSearchProviderId, StoredKey>

const NOTHING: WebSearchRow = { id: WEB_SEARCH_ID, version: 0, enabled: false, provider: 'brave', access: {} }

export type WebSearch = ReturnType<typeof createWebSearch>

/** The web search that admins configure for agents. */
export const createWebSearch = (needs: Needs) => {
  const { cipher, providers, outbound, audit } = needs
  const cached = createVersionedRow<WebSearchRow>(needs, {
    of: integrationRows,
    first: NOTHING,
    busy: () => busyError('integration_busy', 'Someone else is changing this integration. Try again'),
  })

  /** The reason why a search is impossible; undefined when it is possible. */
  const unavailableReason = ({ enabled, provider, access }: WebSearchRow): string | undefined => {
    if (!enabled) return 'Web search is disabled'
    const { name, required } = providers[provider]
    const { baseUrl, key } = access[provider] ?? {}
    const missing = required.find((field) => (field === 'apiKey' ? key : baseUrl) === undefined)
    return missing && `${name} has no ${missing}`
  }

  const toStatus = (row: WebSearchRow): WebSearchStatus => {
    const reason = unavailableReason(row) ?? null
    return { available: reason === null, provider: row.provider, reason }
  }

  const refuseBaseUrl = async ({ searxng }: WebSearchChange): Promise<void> => {
    if (!searxng?.baseUrl) return
    await outbound.check(searxng.baseUrl).catch((thrown) => {
      throw asFieldIssue('searxng.baseUrl', thrown)
    })
  }

  const sealKeys = async (change: WebSearchChange): Promise<SealedKeys> => {
    const sealed = new Map<WebSearchProviderId, StoredKey>()
    for (const id of WEB_SEARCH_PROVIDERS) {
      const key = change[id]?.apiKey
      if (typeof key === 'string' && !isMaskedKey(key))
        sealed.set(id, { sealed: await cipher.seal(key, sealContext(id)), masked: maskedKey(key) })
    }
    return sealed
  }

  return {
    /** The settings with masked keys, whether agents can search, and all providers. */
    read: async () => {
      const row = await cached.load()
      return { config: toConfig(row), status: toStatus(row), providers: listed(providers) }
    },
    /**
     * Changes the given fields. Throws Problem `invalid` `url_refused` for an address that the service may not reach, and
     * for a masked key when no key is stored; `unavailable` `integration_busy` when other writers win every time.
     */
    change: async (actor: Actor, change: WebSearchChange): Promise<WebSearchStatus> => {
      await refuseBaseUrl(change)
      const sealed = await sealKeys(change)
      const row = await cached.change((before) => ({ set: changedFields(before, change, sealed) }))
      await audit(actor, 'integration.change', auditDetails(row, change))
      return toStatus(row)
    },
    /** Throws Problem `unsupported` `web_search_not_configured`. */
    refuse: async (): Promise<void> => {
      const reason = unavailableReason(await cached.load())
      if (reason !== undefined) throw notConfigured(reason)
    },
    /** Throws Problem `unsupported` `web_search_not_configured`, and the errors of the provider. */
    search: async (query: string, signal: AbortSignal): Promise<readonly WebResult[]> => {
      const row = await cached.load()
      const reason = unavailableReason(row)
      if (reason !== undefined) throw notConfigured(reason)
      const { baseUrl, key } = row.access[row.provider] ?? {}
      const apiKey = key && (await cipher.open(key.sealed, sealContext(row.provider)))
      const results = await providers[row.provider].search(query, { baseUrl, apiKey }, signal)
      // A provider that quotes the key must not pass it to an agent.
      return apiKey === undefined ? results : createMasker([apiKey]).data(results)
    },
  }
}

const sealContext = (id: WebSearchProviderId) => `integrations/${WEB_SEARCH_ID}/${id}`

const changedFields = (row: WebSearchRow, change: WebSearchChange, sealed: SealedKeys) => {
  const { enabled = row.enabled, provider = row.provider } = change
  const access = { ...row.access }
  for (const id of WEB_SEARCH_PROVIDERS) {
    const given: Given | undefined = change[id]
    if (given !== undefined) access[id] = changedAccess(id, access[id] ?? {}, given, sealed.get(id))
  }
  return { enabled, provider, access }
}

const changedAccess = (
  id: WebSearchProviderId,
  stored: StoredAccess,
  given: Given,
  sealed: StoredKey | undefined,
): StoredAccess => {
  const baseUrl = given.baseUrl === undefined ? stored.baseUrl : (given.baseUrl ?? undefined)
  const key = given.apiKey === null ? undefined : (sealed ?? stored.key)
  const path = `${id}.apiKey`
  if (typeof given.apiKey === 'string' && key === undefined)
    throw invalid([{ path, message: 'is masked, but no key is stored. Send the full key' }])
  // An admin cannot read the stored key, and must not get it by sending it to an own server.
  if (key !== undefined && key === stored.key && urlOrigin(baseUrl) !== urlOrigin(stored.baseUrl))
    throw invalid([{ path, message: 'is stored for another address. Send the full key, or null' }])
  return definedFields({ baseUrl, key })
}

const urlOrigin = (url: string | undefined) => url && new URL(url).origin

const toConfig = ({ enabled, provider, access }: WebSearchRow): WebSearchConfig => {
  const maskedAccess = Object.entries(access).map(([id, { baseUrl, key }]) => [
    id,
    definedFields({ baseUrl, apiKey: key?.masked }),
  ])
  return { enabled, provider, ...Object.fromEntries(maskedAccess) }
}

const listed = (providers: WebSearchProviders) =>
  WEB_SEARCH_PROVIDERS.map((id) => {
    const { name, description, configFields } = providers[id]
    return { id, name, description, configFields: [...configFields] }
  })

const auditDetails = ({ enabled, provider }: WebSearchRow, change: WebSearchChange) => {
  const changes = WEB_SEARCH_PROVIDERS.filter((id) => change[id] !== undefined)
  return { integration: WEB_SEARCH_ID, enabled, provider, ...(changes.length > 0 ? { changes } : {}) }
}

const notConfigured = (reason: string) =>
  new Problem(
    'unsupported',
    'web_search_not_configured',
    `Web search is not available: ${reason}. Continue without it.`,
  )
