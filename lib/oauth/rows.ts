import { collection } from '../core/collection.ts'
import type { ProviderName, Workplace } from './schema.ts'

/**
 * A sign-in, or linking, that has begun. The request that removes the row goes on with it, so it happens once. Both `id` and
 * `browser` are hashes: what leaks from storage signs no one in.
 */
export type AuthorizationRequestRow = {
  /** SHA-256 of the `state` parameter. */
  id: string
  provider: ProviderName
  /** SHA-256 of the secret in the cookie of the browser that began. */
  browser: string
  redirectUri: string
  /** The PKCE verifier, the nonce and an invite code, sealed. */
  sealed: string
  /** Who links an account, in which session; absent for a sign-in. */
  userId?: string
  sessionId?: string
  expiresAt: number
}
export const authorizationRequests = collection<AuthorizationRequestRow>({
  name: 'oauthBeginnings',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

/**
 * An account elsewhere and whose it is here. The key is the account, so that its insert decides that it belongs to one
 * user. `version` grows with every change of the tokens; the process that claims a renewal writes `renewingUntil` first.
 */
export type LinkedAccountRow = Workplace & {
  id: string
  userId: string
  provider: ProviderName
  /** Where its subject is unique, as the provider was set then; rows of before this was kept have none. */
  realm?: string
  /** The client that got the subject, where each may get another; older rows have none. */
  clientId?: string
  linkedAt: string
  username?: string
  avatarUrl?: string
  scopes: readonly string[]
  version: number
  /** Sealed tokens; absent when there are none to be kept, and when the provider refused to renew them. */
  tokens?: string
  /** Epoch milliseconds; absent for tokens that do not expire. */
  tokensExpireAt?: number
  /** Whether the provider refused to renew the tokens. */
  ended: boolean
  /** Epoch milliseconds; who renews now has failed if it is not done by then. */
  renewingUntil?: number
}
export const linkedAccounts = collection<LinkedAccountRow>({
  name: 'linkedAccounts',
  key: 'id',
  indexes: { ofUser: { within: 'userId', by: 'linkedAt' } },
})

/** Where subjects hold; without a client they hold for all clients. */
export type Place = { name: ProviderName; realm: string; clientId?: string }

/** Whether the account is one of that place; what a row does not tell is taken for the same. */
export const isAccountAt = (
  { name, realm, clientId }: Place,
  row: Pick<LinkedAccountRow, 'provider' | 'realm' | 'clientId'>,
): boolean =>
  row.provider === name &&
  (row.realm ?? realm) === realm &&
  (clientId === undefined || (row.clientId ?? clientId) === clientId)
