import type { ReadAccountStatus } from '../accounts/schema.ts'
import { isWebhookCreator } from '../core/principal.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountFor } from '../ports/code-host.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { Store } from '../ports/store.ts'
import { type CatalogName, providerApiUrl } from './catalog.ts'
import { createLinkedAccounts } from './linked-accounts.ts'
import { type ClientSettings, createOauthProvider } from './oauth-provider.ts'
import { createRenewal } from './renewal.ts'
import { isAccountAt, type LinkedAccountRow, type Place } from './rows.ts'

/** The operator's settings of the code host. Without client id and secret tokens are not renewed. */
type CodeHostSettings = { [Field in keyof ClientSettings]?: ClientSettings[Field] | undefined }

type Needs = {
  store: Store
  cipher: Cipher
  clock: Clock
  log: Log
  providerFetch: ProviderFetch
  settings: CodeHostSettings
  readAccountStatus: ReadAccountStatus
  adminIds: () => Promise<readonly string[]>
}

const NAME = 'codehost' satisfies CatalogName
const MOST_ADMINS = 100

/**
 * The account of the code host that a task runs with: that of the user who created it; for a task of an inbound event,
 * the one that an admin linked last. A user without a linked account gets no other's: a user who may create tasks must
 * not reach what an admin's account may read. A user who is disabled, or who does not exist in the present mode of
 * sign-in, has none.
 */
export const createCodeHostAccount = (needs: Needs): AccountFor => {
  const { clock, settings, readAccountStatus, adminIds } = needs
  const accounts = createLinkedAccounts(needs)
  const workingToken = createRenewal({ ...needs, accounts })
  const place: Place = { name: NAME, realm: new URL(providerApiUrl(NAME, settings)).origin }
  const { clientId, clientSecret } = settings
  const provider =
    clientId !== undefined && clientSecret !== undefined
      ? createOauthProvider({
          name: NAME,
          settings: { ...settings, clientId, clientSecret },
          fetch: needs.providerFetch,
        })
      : undefined

  const linkedBy = async (userId: string): Promise<LinkedAccountRow | undefined> =>
    (await accounts.ofUser(userId)).find(
      (row) => isAccountAt(place, row) && !row.ended && row.tokens !== undefined,
    )

  const linkedByUser = async (userId: string): Promise<LinkedAccountRow | undefined> => {
    const status = await readAccountStatus(userId)
    return status === undefined || status.disabled ? undefined : linkedBy(userId)
  }

  const linkedByAdmin = async (): Promise<LinkedAccountRow | undefined> => {
    const ids = (await adminIds()).slice(0, MOST_ADMINS)
    const rows = await Promise.all(ids.map(linkedBy))
    return rows.filter((row) => row !== undefined).sort((a, b) => (a.linkedAt < b.linkedAt ? 1 : -1))[0]
  }

  const usableToken = async (row: LinkedAccountRow): Promise<string | undefined> => {
    if (provider) return workingToken(row.id, provider)
    const isOver = (row.tokensExpireAt ?? Number.POSITIVE_INFINITY) <= clock.now()
    return isOver ? undefined : (await accounts.openTokens(row))?.accessToken
  }

  return async (userId) => {
    const row = isWebhookCreator(userId) ? await linkedByAdmin() : await linkedByUser(userId)
    if (row === undefined) return undefined
    const token = await usableToken(row)
    return token === undefined ? undefined : { token, scopes: row.scopes }
  }
}
