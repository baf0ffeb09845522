import type { ReadAccountStatus } from '../accounts/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { isWebhookCreator } from '../core/principal.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountFor } from '../ports/code-host.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { Store } from '../ports/store.ts'
import { type CatalogName, providerApiUrl } from './catalog.ts'
import { createLinkedAccounts, type LinkedAccounts } from './linked-accounts.ts'
import { type ClientSettings, createOauthProvider } from './oauth-provider.ts'
import type { Providers } from './providers.ts'
import { createRenewal, type WorkingToken } from './renewal.ts'
import { isAccountAt, type LinkedAccountRow, type Place } from './rows.ts'
import type { AccountAccess } from './schema.ts'

const MOST_USERS = 100

/** The accounts of users with tokens for the provider as it is configured now, newest first. */
const usableAccounts = async (
  { ofUser }: Pick<LinkedAccounts, 'ofUser'>,
  provider: Place | undefined,
  userIds: readonly string[],
): Promise<LinkedAccountRow[]> => {
  if (provider === undefined) return []
  const rows = (await Promise.all(userIds.slice(0, MOST_USERS).map(ofUser))).flat()
  return rows
    .filter((row) => isAccountAt(provider, row) && !row.ended && row.tokens !== undefined)
    .sort((a, b) => (a.linkedAt < b.linkedAt ? 1 : -1))
}

type AccessNeeds = {
  accounts: Pick<LinkedAccounts, 'ofUser'>
  providers: Providers
  workingToken: WorkingToken
  /** The active admins. */
  adminIds: () => Promise<readonly string[]>
}

/** Access to providers in the name of the owners of linked accounts. */
export const createAccountAccess = (needs: AccessNeeds): AccountAccess => {
  const { accounts, providers, workingToken, adminIds } = needs
  const toUsableAccount = ({ id, username, cloudId }: LinkedAccountRow) => ({
    id,
    ...definedFields({ username, cloudId }),
  })
  return {
    writerAt: async (name) => {
      const provider = providers.get(name)
      if (provider?.writes === undefined) return undefined
      const rows = await usableAccounts(accounts, provider, await adminIds())
      const newest = rows.find(({ scopes }) => provider.writes?.(scopes))
      return newest && toUsableAccount(newest)
    },
    readerFor: async (userId, name) => {
      const [newest] = await usableAccounts(accounts, providers.get(name), [userId])
      return newest && toUsableAccount(newest)
    },
    validToken: async (id, name) => {
      const provider = providers.get(name)
      return provider && workingToken(id, provider)
    },
  }
}

/** The operator's settings of the code host. Without client id and secret tokens are not renewed. */
type CodeHostSettings = { [Field in keyof ClientSettings]?: ClientSettings[Field] | undefined }

type CodeHostNeeds = {
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

/**
 * The account of the code host that a task runs with: that of the user who created it; for a task of an inbound event,
 * the one that an admin linked last. A user without a linked account gets no other's: a user who may create tasks must
 * not reach what an admin's account may read. A user who is disabled, or who does not exist in the present mode of
 * sign-in, has none.
 */
export const createCodeHostAccount = (needs: CodeHostNeeds): AccountFor => {
  const { clock, settings, providerFetch: fetch, readAccountStatus, adminIds } = needs
  const accounts = createLinkedAccounts(needs)
  const workingToken = createRenewal({ ...needs, accounts })
  const place: Place = { name: NAME, realm: new URL(providerApiUrl(NAME, settings)).origin }
  const { clientId, clientSecret } = settings
  const provider =
    clientId !== undefined && clientSecret !== undefined
      ? createOauthProvider({ name: NAME, settings: { ...settings, clientId, clientSecret }, fetch })
      : undefined

  const findOwners = async (userId: string): Promise<readonly string[]> => {
    if (isWebhookCreator(userId)) return adminIds()
    const status = await readAccountStatus(userId)
    return status === undefined || status.disabled ? [] : [userId]
  }

  const usableToken = async (row: LinkedAccountRow): Promise<string | undefined> => {
    if (provider) return workingToken(row.id, provider)
    const isOver = (row.tokensExpireAt ?? Number.POSITIVE_INFINITY) <= clock.now()
    return isOver ? undefined : (await accounts.openTokens(row))?.accessToken
  }

  return async (userId) => {
    const [row] = await usableAccounts(accounts, place, await findOwners(userId))
    const token = row && (await usableToken(row))
    return token === undefined ? undefined : { token, scopes: row?.scopes ?? [] }
  }
}
