import { type AskApi, codehostProfile, trackeraProfile, trackerbProfile } from './profiles.ts'
import type { Profile, Tokens } from './provider.ts'

/** A request that revokes tokens; its path is relative to the provider's API. */
type Revocation = {
  method: 'DELETE' | 'POST'
  path: string
  as: 'client' | 'token'
  body?: object
}
type Client = { clientId: string }

/** The differences between providers; the rest is OAuth 2.0. */
export type CatalogEntry = {
  authorizeUrl: string
  tokenUrl: string
  apiUrl: string
  scopes: readonly string[]
  writeScopes: readonly string[]
  writes: (scopes: readonly string[]) => boolean
  scopeSeparator: ' ' | ','
  parameters?: Readonly<Record<string, string>>
  /** The error codes after which a refresh token never works again. */
  deadTokenErrors: readonly string[]
  profile: (ask: AskApi) => Promise<Profile>
  revocation?: (tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>, client: Client) => Revocation
}

/**
 * The defaults are GitHub, Atlassian (OAuth 2.0 3LO) and Linear. All get PKCE with S256: GitHub and Linear support it,
 * and Atlassian, which does not document it, must ignore unknown parameters (RFC 6749, section 3.1).
 */
export const catalog = {
  // OAuth apps get tokens that do not expire; GitHub Apps get tokens for 8 hours and refresh tokens that work once.
  codehost: {
    authorizeUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    apiUrl: 'https://api.github.com',
    scopes: ['read:user', 'user:email', 'repo'],
    writeScopes: [],
    // Tokens of GitHub Apps have no scopes: the app's permissions decide.
    writes: (scopes) => scopes.length === 0 || scopes.includes('repo') || scopes.includes('public_repo'),
    scopeSeparator: ' ',
    deadTokenErrors: ['invalid_grant', 'bad_refresh_token'],
    profile: codehostProfile,
    revocation: ({ accessToken }, { clientId }) => ({
      method: 'DELETE',
      path: `/applications/${encodeURIComponent(clientId)}/grant`,
      as: 'client',
      body: { access_token: accessToken },
    }),
  },
  // Tokens last an hour; refresh tokens rotate, and are given for the scope `offline_access` only. Only the owner can
  // revoke them, on the settings page.
  trackera: {
    authorizeUrl: 'https://auth.atlassian.com/authorize',
    tokenUrl: 'https://auth.atlassian.com/oauth/token',
    apiUrl: 'https://api.atlassian.com',
    scopes: ['read:me', 'read:jira-work', 'offline_access'],
    writeScopes: ['write:jira-work'],
    writes: (scopes) => scopes.includes('write:jira-work') || scopes.includes('write:comment:jira'),
    scopeSeparator: ' ',
    parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    deadTokenErrors: ['invalid_grant'],
    profile: trackeraProfile,
  },
  // Tokens last a day; refresh tokens rotate.
  trackerb: {
    authorizeUrl: 'https://linear.app/oauth/authorize',
    tokenUrl: 'https://api.linear.app/oauth/token',
    apiUrl: 'https://api.linear.app',
    scopes: ['read'],
    // `comments:create` is enough for a first comment, but not to edit it.
    writeScopes: ['write'],
    writes: (scopes) => scopes.includes('write') || scopes.includes('comments:create'),
    scopeSeparator: ',',
    deadTokenErrors: ['invalid_grant'],
    profile: trackerbProfile,
    revocation: () => ({ method: 'POST', path: '/oauth/revoke', as: 'token' }),
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>

export type CatalogName = keyof typeof catalog

/** The scopes of a request. `linkScopes` are the operator's; they replace the catalog's scopes for writing. */
export const scopesAsked = (
  name: CatalogName,
  linkScopes: readonly string[] | undefined,
  toWrite: boolean,
): string[] => {
  const { scopes, writeScopes }: CatalogEntry = catalog[name]
  return [...new Set([...scopes, ...(toWrite ? (linkScopes ?? writeScopes) : [])])]
}

/** The site of the code host, where people sign in and git finds repositories; undefined without https. */
export const codeHostGit = ({ authorizeUrl }: { authorizeUrl?: string | undefined }): string | undefined => {
  const { protocol, origin } = new URL(authorizeUrl ?? catalog.codehost.authorizeUrl)
  return protocol === 'https:' ? origin : undefined
}

type Place = { apiUrl?: string | undefined }

export const providerApiUrl = (name: CatalogName, { apiUrl }: Place): string => apiUrl ?? catalog[name].apiUrl

export const providerApiUrls = (
  accounts: Readonly<Record<CatalogName, Place>>,
): Readonly<Record<CatalogName, string>> => ({
  codehost: providerApiUrl('codehost', accounts.codehost),
  trackera: providerApiUrl('trackera', accounts.trackera),
  trackerb: providerApiUrl('trackerb', accounts.trackerb),
})
