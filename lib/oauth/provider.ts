import { Problem } from '../core/errors.ts'
import type { ProviderName, Workplace } from './schema.ts'

export type Tokens = {
  accessToken: string
  refreshToken?: string
  expiresInMs?: number
  scopes: readonly string[]
}

/** The person whom a provider authenticated. `subject` never changes and is unique in the realm. */
export type Profile = {
  subject: string
  username?: string
  name?: string
  email?: string
  emailVerified: boolean
  avatarUrl?: string
  workplace?: Workplace
}

type RedirectParameters = { redirectUri: string; state: string; verifier: string; nonce: string }
export type CallbackParameters = RedirectParameters & { code: string; iss?: string | undefined }

/** A provider of accounts. Every failure is a Problem without any text of the provider. */
export type Provider = {
  name: ProviderName
  /** The scope in which subjects are unique: after a change of the provider's address they are other people's. */
  realm: string
  /** The client that subjects belong to, if the issuer may give each client others (OpenID Connect Core 1.0, 8.1). */
  clientId?: string
  /** `toWrite` requests write access in addition to the sign-in. */
  authorizationUrl(parameters: RedirectParameters & { toWrite?: boolean }): Promise<string>
  /** The person who returned, and their tokens if they are stored. */
  exchange(callback: CallbackParameters): Promise<{ profile: Profile; tokens?: Tokens }>
  /** New tokens for a refresh token; `ended` when the provider gives none any more. */
  renew?(refreshToken: string): Promise<Tokens | 'ended'>
  revoke?(tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<void>
  /** Whether tokens of these scopes may write comments; absent for a provider without issues. */
  writes?(scopes: readonly string[]): boolean
}

const WORD = /^[\w-]{1,64}$/

/** The error of a code that the provider refuses: it is used up, too old, or belongs to another client. */
export const invalidCode = (why: string) =>
  new Problem('invalid', 'invalid_code', 'This sign-in code is invalid or expired. Start again', {
    cause: new Error(why),
  })

/** The error of a provider that refused, or answered nonsense. The log gets `why` only if it is one word. */
export const oauthFailed = (why: unknown = 'unexpected') =>
  new Problem('unavailable', 'oauth_failed', 'Sign-in with the provider failed. Try again', {
    cause: new Error(typeof why === 'string' && WORD.test(why) ? why : 'unexpected'),
  })
