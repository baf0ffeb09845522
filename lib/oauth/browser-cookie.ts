import { AUTHORIZATION_REQUEST_MS } from './authorization-requests.ts'
import type { ProviderName } from './schema.ts'

/** One for each provider, so that two may be on their way at once. */
export const cookieName = (provider: ProviderName): string => `svc_oauth_${provider}`

/** Binds a sign-in to the browser that began it. Lax: it comes along when the provider sends the browser back. */
export const browserCookie = (provider: ProviderName, secret: string, isSecure: boolean) => ({
  'set-cookie': [
    `${cookieName(provider)}=${secret}`,
    `Path=/api/auth/${provider}`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${AUTHORIZATION_REQUEST_MS / 1_000}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; '),
})
