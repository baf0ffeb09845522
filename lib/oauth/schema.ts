import * as z from 'zod'

/** Where people may have accounts; `oidc` is the issuer of the installation's choice. */
export const PROVIDERS = ['codehost', 'trackera', 'trackerb', 'oidc'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Why signing in or linking came to nothing, for the login page. Nothing a provider says gets into this. */
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
 * Revokes a user's tokens at several providers, where one lets us do that, and forgets the accounts; answers which they were.
 * Nothing linked is fine.
 */
export type Unlink = (
  userId: string,
  providers: readonly ProviderName[],
) => Promise<readonly Pick<Connection, 'provider' | 'username'>[]>

/** A linked account that gives tokens. */
type UsableAccount = { id: string; username?: string; cloudId?: string }

/** Linked accounts for those who speak to a provider in their owner's name. */
export type AccountAccess = {
  /** The account that an admin linked last with the provider, and that may write comments; undefined when there is none. */
  writerAt(provider: ProviderName): Promise<UsableAccount | undefined>
  /** The account that a user linked last with the provider. */
  readerOf(userId: string, provider: ProviderName): Promise<UsableAccount | undefined>
  /**
   * A token of that account that works now, renewed when that is due; undefined when it is not linked any more. Throws
   * Problem `invalid` `connection_expired` when it has to be linked again, `unavailable` when the provider cannot be asked.
   */
  tokenOf(id: string, provider: ProviderName): Promise<string | undefined>
}
