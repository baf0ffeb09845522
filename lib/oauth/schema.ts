import * as z from 'zod'

/** The providers of accounts; `oidc` is the issuer that the installation chose. */
export const PROVIDERS = ['codehost', 'trackera', 'trackerb', 'oidc'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Whether a provider is configured in this installation, and people sign in with it. */
export const ProviderStatusSchema = z
  .object({
    name: z.enum(PROVIDERS),
    signsIn: z
      .boolean()
      .describe('Whether users can sign in with the provider; if not, accounts can still be linked'),
    needs: z.string().optional().describe('Settings that are missing; absent if configured'),
  })
  .meta({ id: 'ProviderStatus' })
export type ProviderStatus = z.output<typeof ProviderStatusSchema>

/** The reason of a failed sign-in or linking, for the login page. It contains no text of a provider. */
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

export type Workplace = {
  cloudId?: string
  siteName?: string
  workspaceId?: string
  workspaceName?: string
  teams?: readonly { id: string; name: string; key: string }[]
}

export type Connection = Workplace & {
  provider: ProviderName
  /** False when the provider gives no tokens any more: the owner has to link the account again. */
  connected: boolean
  username?: string
  avatarUrl?: string
  scopes: readonly string[]
  tokenExpiry?: string
}

/** The account that a user linked last with a provider; undefined when there is none. */
export type FindConnection = (userId: string, provider: ProviderName) => Promise<Connection | undefined>

/** Revokes a user's tokens at providers and removes the linked accounts; resolves to those that there were. */
export type Unlink = (
  userId: string,
  providers: readonly ProviderName[],
) => Promise<readonly Pick<Connection, 'provider' | 'username'>[]>

type UsableAccount = { id: string; username?: string; cloudId?: string }

/** Linked accounts, for calls to a provider in their owner's name. */
export type AccountAccess = {
  /** The account with write access that an admin linked last with the provider; undefined when there is none. */
  writerAt(provider: ProviderName): Promise<UsableAccount | undefined>
  readerFor(userId: string, provider: ProviderName): Promise<UsableAccount | undefined>
  /**
   * A valid token of that account, renewed when due; undefined when the account is not linked any more. Throws Problem
   * `invalid` `connection_expired` when it has to be linked again, `unavailable` when the provider cannot be reached.
   */
  validToken(id: string, provider: ProviderName): Promise<string | undefined>
}
