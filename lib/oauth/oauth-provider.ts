import * as oauth from 'oauth4webapi'
import type * as z from 'zod'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { type CatalogEntry, type CatalogName, catalog, providerApiUrl, scopesAsked } from './catalog.ts'
import {
  asExchangeFailed,
  asOauthFailed,
  authorizationUrl,
  conforming,
  type Registration,
  redeem,
  refusalIn,
  requestOptions,
  toTokens,
} from './grants.ts'
import type { AskApi } from './profiles.ts'
import { oauthFailed, type Provider } from './provider.ts'

/** The operator's client at the provider, and its addresses if they are not the defaults. */
export type ClientSettings = {
  clientId: string
  clientSecret: string
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  apiUrl?: string | undefined
  linkScopes?: readonly string[] | undefined
}
type Needs = { name: CatalogName; settings: ClientSettings; fetch: ProviderFetch }

const HEADERS = { accept: 'application/json', 'user-agent': 'agent-task-service' }

/** A provider of the catalog, by OAuth 2.0 with PKCE (RFC 6749, RFC 7636). */
export const createOauthProvider = ({ name, settings, fetch }: Needs): Provider => {
  const entry: CatalogEntry = catalog[name]
  const { clientId, clientSecret, linkScopes } = settings
  const authorizeUrl = settings.authorizeUrl ?? entry.authorizeUrl
  const apiUrl = providerApiUrl(name, settings).replace(/\/+$/, '')
  const tokenUrl = settings.tokenUrl ?? entry.tokenUrl
  const registration: Registration = {
    server: { issuer: authorizeUrl, token_endpoint: tokenUrl },
    client: { client_id: clientId },
    authentication: oauth.ClientSecretPost(clientSecret),
    options: requestOptions(conforming(fetch), tokenUrl),
  }
  const { server, client, authentication, options } = registration

  const request = (path: string, method: string, authorization: string, body?: object) =>
    fetch(`${apiUrl}${path}`, {
      method,
      headers: { ...HEADERS, authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })

  const askWith =
    (token: string): AskApi =>
    async (answer, path, body) => {
      const response = await request(path, body ? 'POST' : 'GET', `Bearer ${token}`, body)
      if (response.status !== 200) throw oauthFailed(`api_status_${response.status}`)
      return parseAnswer(answer, await response.text())
    }

  return {
    name,
    realm: new URL(apiUrl).origin,

    writes: entry.writes,

    authorizationUrl: ({ redirectUri, state, verifier, toWrite = false }) =>
      authorizationUrl(authorizeUrl, {
        ...entry.parameters,
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopesAsked(name, linkScopes, toWrite).join(entry.scopeSeparator),
        state,
        verifier,
      }),

    exchange: async ({ iss: _unsupported, ...callback }) => {
      try {
        const response = await redeem(registration, callback)
        const tokens = toTokens(await oauth.processAuthorizationCodeResponse(server, client, response))
        return { tokens, profile: await entry.profile(askWith(tokens.accessToken)) }
      } catch (thrown) {
        return asExchangeFailed(thrown)
      }
    },

    renew: async (refreshToken) => {
      try {
        const request = [server, client, authentication, refreshToken, options] as const
        const response = await oauth.refreshTokenGrantRequest(...request)
        return toTokens(await oauth.processRefreshTokenResponse(server, client, response))
      } catch (thrown) {
        return entry.deadTokenErrors.includes(refusalIn(thrown) ?? '') ? 'ended' : asOauthFailed(thrown)
      }
    },

    revoke: async (tokens) => {
      if (entry.revocation === undefined) return
      const { method, path, as, body } = entry.revocation(tokens, { clientId })
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
      const authorization = as === 'client' ? `Basic ${basic}` : `Bearer ${tokens.accessToken}`
      const { status } = await request(path, method, authorization, body)
      if (status >= 300) throw oauthFailed(`revoke_status_${status}`)
    },
  }
}

const parseAnswer = <T extends z.ZodType>(schema: T, text: string): z.output<T> => {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw oauthFailed('api_answer_unknown')
  }
}
