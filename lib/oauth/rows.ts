import { collection } from '../core/collection.ts'
import type { ProviderName, Workplace } from './schema.ts'

/** A sign-in or linking that has begun; its removal continues it, once. `id` and `browser` are hashes. */
export type AuthorizationRequestRow = {
  /** SHA-256 of the `state` parameter. */
  id: string
  provider: ProviderName
  /** SHA-256 of the secret in the cookie of the browser that began. */
  browser: string
  redirectUri: string
  /** The PKCE verifier, the nonce and an invite code, sealed. */
  sealed: string
  /** The user and session that link an account; absent for a sign-in. */
  userId?: string
  sessionId?: string
  expiresAt: number
}
export const authorizationRequests = collection<AuthorizationRequestRow>({
  name: 'authorizationRequests',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

/**
 * A linked account and its owner. The key identifies the account, so that its insert decides that it belongs to one user.
 * `version` grows with every change of the tokens; the process that claims a renewal writes `renewingUntil` first.
 */
export type LinkedAccountRow = Workplace & {
  id: string
  userId: string
  provider: ProviderName
  /** The realm of its subject, by the provider's configuration at that time. */
  realm: string
  /** The client that got the subject, for issuers that give each client others. */
  clientId?: string
  linkedAt: string
  username?: string
  avatarUrl?: string
  scopes: readonly string[]
  version: number
  /** Sealed tokens; absent for a provider without stored tokens, and when the provider refused to renew them. */
  tokens?: string
  /** Epoch milliseconds; absent for tokens that do not expire. */
  tokensExpireAt?: number
  ended: boolean
  /** Epoch milliseconds; a renewal that is not done by then has failed. */
  renewingUntil?: number
}
export const linkedAccounts = collection<LinkedAccountRow>({
  name: 'linkedAccounts',
  key: 'id',
  indexes: { ofUser: { within: 'userId', by: 'linkedAt' } },
})

/** The scope of subjects; without a client it covers all clients. */
export type Place = { name: ProviderName; realm: string; clientId?: string }

export const isAccountAt = (
  { name, realm, clientId }: Place,
  row: Pick<LinkedAccountRow, 'provider' | 'realm' | 'clientId'>,
): boolean =>
  row.provider === name && row.realm === realm && (clientId === undefined || row.clientId === clientId)
