import { Problem } from '../core/errors.ts'
import type { ProviderName, Workplace } from './schema.ts'

export type Tokens = {
  accessToken: string
  refreshToken?: string
  expiresInMs?: number
  scopes: readonly string[]
}

/** Whom a provider says it is. `subject` never changes and is unique there. */
export type Profile = {
  subject: string
  username?: string
  name?: string
  email?: string
  emailVerified: boolean
  avatarUrl?: string
  workplace?: Workplace
}

/** What a browser takes to the provider. */
type Departure = { redirectUri: string; state: string; verifier: string; nonce: string }
/** Whether access is asked for that writes, besides what a sign-in asks for. */
type Wanted = { toWrite?: boolean }
/** What it comes back with, and what it left with. */
export type Arrival = Departure & { code: string; iss?: string | undefined }

/** A place where people have accounts. Every failure is a Problem that holds nothing the provider said. */
export type Provider = {
  name: ProviderName
  /** Where subjects are unique: after a change of the provider's address they are other people's. */
  realm: string
  /** The client that subjects belong to, where an issuer may give each client others (OpenID Connect Core 1.0, 8.1). */
  clientId?: string
  authorizationUrl(departure: Departure & Wanted): Promise<string>
  /** Who came back, and the tokens for it where any are kept. */
  exchange(arrival: Arrival): Promise<{ profile: Profile; tokens?: Tokens }>
  /** New tokens for a refresh token; `ended` when the provider gives none any more. */
  renew?(refreshToken: string): Promise<Tokens | 'ended'>
  revoke?(tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<void>
  /** Whether tokens of these scopes may write comments; absent where there is nothing to comment on. */
  writes?(scopes: readonly string[]): boolean
}

const WORD = /^[\w-]{1,64}$/

/** A code that the provider does not take: it is used up, too old, or was given to another client. */
export const invalidCode = (why: string) =>
  new Problem(
    'invalid',
    'invalid_code',
    'The provider does not know this code, or not any more: begin again',
    { cause: new Error(why) },
  )

/** A provider that refused, or answered nonsense. `why` is for the log, and stays out of it unless it is a mere word. */
export const oauthFailed = (why: unknown = 'unexpected') =>
  new Problem(
    'unavailable',
    'oauth_failed',
    'The provider refused, or did not answer as it should: try again',
    {
      cause: new Error(typeof why === 'string' && WORD.test(why) ? why : 'unexpected'),
    },
  )
