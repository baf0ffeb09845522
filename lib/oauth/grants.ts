import * as oauth from 'oauth4webapi'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { type CallbackParameters, invalidCode, oauthFailed, type Tokens } from './provider.ts'

export type Registration = {
  server: oauth.AuthorizationServer
  client: oauth.Client
  authentication: oauth.ClientAuth
  options: ReturnType<typeof requestOptions>
}

/** The options of oauth4webapi: https only, unless the operator chose an address without it. */
export const requestOptions = (fetch: ProviderFetch, chosen: string) => ({
  [oauth.customFetch]: (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: unknown },
  ) =>
    fetch(url, {
      method: init.method,
      headers: init.headers,
      ...(init.body instanceof URLSearchParams ? { body: init.body } : {}),
    }),
  [oauth.allowInsecureRequests]: chosen.startsWith('http:'),
})

/** The address of an authorization request with PKCE (RFC 6749, section 4.1.1; RFC 7636). */
export const authorizationUrl = async (
  endpoint: string,
  { verifier, ...parameters }: { verifier: string } & Readonly<Record<string, string>>,
): Promise<string> => {
  const url = new URL(endpoint)
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const pkce = { code_challenge, code_challenge_method: 'S256' }
  for (const [key, value] of Object.entries({ ...parameters, response_type: 'code', ...pkce }))
    url.searchParams.set(key, value)
  return url.href
}

/** Redeems an authorization code (RFC 6749, section 4.1.3; RFC 7636; RFC 9207 where `iss` came). */
export const redeem = async (
  { server, client, authentication, options }: Registration,
  { code, state, iss, redirectUri, verifier }: CallbackParameters,
): Promise<Response> => {
  const parameters = new URLSearchParams({ code, state, ...definedFields({ iss }) })
  const returned = oauth.validateAuthResponse(server, client, parameters, state)
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    returned,
    redirectUri,
    verifier,
    options,
  )
}

/** The most characters of a token, and of the scopes of an answer: they are stored with the account. */
const LONGEST_TOKEN = 16_384
const LONGEST_SCOPE = 10_000

/** The tokens of an answer. Throws Problem `oauth_failed` for those that are too long to store. */
export const toTokens = (answer: oauth.TokenEndpointResponse): Tokens => {
  const { access_token, refresh_token, expires_in, scope = '' } = answer
  const isTooLong = [access_token, refresh_token ?? ''].some(({ length }) => length > LONGEST_TOKEN)
  if (isTooLong || scope.length > LONGEST_SCOPE) throw oauthFailed('token_too_long')
  return {
    accessToken: access_token,
    ...definedFields({ refreshToken: refresh_token, expiresInMs: expires_in && expires_in * 1_000 }),
    scopes: scope.split(/[\s,]+/).filter((each) => each !== ''),
  }
}

export const refusalIn = (thrown: unknown): string | undefined =>
  thrown instanceof oauth.ResponseBodyError ? thrown.error : undefined

/** The error codes of a refused code (RFC 6749, section 5.2; the code host has its own). */
const CODE_REFUSALS = ['invalid_grant', 'bad_verification_code']

/** Converts as `asOauthFailed` does, for an authorization code: a wrong code is the sender's fault. */
export const asExchangeFailed = (thrown: unknown): never => {
  const refusal = refusalIn(thrown)
  if (refusal !== undefined && CODE_REFUSALS.includes(refusal)) throw invalidCode(refusal)
  return asOauthFailed(thrown)
}

/** Errors of oauth4webapi contain the server's answer with tokens, so only their code is passed on. */
export const asOauthFailed = (thrown: unknown): never => {
  if (thrown instanceof Problem) throw thrown
  throw oauthFailed(refusalIn(thrown) ?? errorCode(thrown))
}

export const errorCode = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined

/**
 * A fetch that makes token answers conform to RFC 6749: the code host reports errors with status 200, the first tracker
 * omits `token_type`, and the second gives older clients their scopes as a list.
 */
export const conforming =
  (fetch: ProviderFetch): ProviderFetch =>
  async (url, request) => {
    const response = await fetch(url, request)
    const text = await response.text()
    const body = objectIn(text)
    if (body === undefined) return new Response(text, { status: response.status, headers: response.headers })
    const { token_type = 'bearer', scope } = body
    const isRefusal = response.status === 200 && typeof body.error === 'string'
    return Response.json(
      { ...body, token_type, ...(Array.isArray(scope) ? { scope: scope.join(' ') } : {}) },
      { status: isRefusal ? 400 : response.status },
    )
  }

const objectIn = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
