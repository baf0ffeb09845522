import * as z from 'zod'

/** Where people may have accounts; `oidc` is the issuer of the installation's choice. */
export const PROVIDERS = ['codehost', 'trackera', 'trackerb', 'oidc'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Why signing in or linking came to nothing, as the login page is told. Nothing a provider says gets into this. */
export const FailureSchema = z.enum([
  'access_denied',
  'invalid_state',
  'invalid_code',
  'session_changed',
  'account_taken',
  'account_exists',
  'email_not_usable',
  'email_not_verified',
  'registration_closed',
  'invite_required',
  'invalid_invite',
  'sign_in_refused',
  'sign_in_not_offered',
  'oauth_not_configured',
  'provider_unreachable',
  'oauth_failed',
])
export type Failure = z.output<typeof FailureSchema>

/** What a tracker calls the place that a person works in. */
export type Workplace = {
  cloudId?: string
  siteName?: string
  workspaceId?: string
  workspaceName?: string
  teams?: readonly { id: string; name: string; key: string }[]
}

/** A linked account as its owner may see it; tokens are in none of it. */
export type Connection = Workplace & {
  provider: ProviderName
  /** False when the provider gives no tokens any more: the owner has to link the account again. */
  connected: boolean
  username?: string
  avatarUrl?: string
  scopes: readonly string[]
  /** When the access token has to be renewed, which happens by itself. */
  tokenExpiry?: string
}

/** The account that a user linked last with a provider; undefined when there is none. */
export type ConnectionOf = (userId: string, provider: ProviderName) => Promise<Connection | undefined>

/**
 * A token that works now, renewed when that is due; undefined when the user has linked no account. Throws Problem
 * `invalid` `connection_expired` when it has to be linked again, `unavailable` when the provider cannot be asked.
 */
export type AccessTokenOf = (userId: string, provider: ProviderName) => Promise<string | undefined>

/**
 * Disconnects a user from several providers, and tells the accounts that were forgotten. Nothing linked is fine.
 */
export type Unlink = (
  userId: string,
  providers: readonly ProviderName[],
) => Promise<readonly Pick<Connection, 'provider' | 'username'>[]>

/** Revokes a user's tokens where the provider lets one do that, and forgets the account. Nothing linked is fine. */
export type Disconnect = (userId: string, provider: ProviderName) => Promise<void>
