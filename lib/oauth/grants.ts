import * as oauth from 'oauth4webapi'
import { Problem } from '../core/errors.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { type Arrival, invalidCode, oauthFailed, type Tokens } from './provider.ts'

/** One client of one authorization server, as oauth4webapi knows them. */
export type Registration = {
  server: oauth.AuthorizationServer
  client: oauth.Client
  authentication: oauth.ClientAuth
  options: ReturnType<typeof requestOptions>
}

/** How oauth4webapi makes its requests: by https, unless the operator chose an address that is not. */
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

/** The answer to an authorization code (RFC 6749, section 4.1.3; RFC 7636; RFC 9207 where `iss` came). */
export const redeem = async (
  { server, client, authentication, options }: Registration,
  { code, state, iss, redirectUri, verifier }: Arrival,
): Promise<Response> => {
  const parameters = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) })
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

export const tokensOf = (answer: oauth.TokenEndpointResponse): Tokens => ({
  accessToken: answer.access_token,
  ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
  ...(answer.expires_in === undefined ? {} : { expiresInMs: answer.expires_in * 1_000 }),
  scopes: (answer.scope ?? '').split(/[\s,]+/).filter((scope) => scope !== ''),
})

/** The error code of an authorization server's refusal; undefined for anything else that was thrown. */
export const refusalIn = (thrown: unknown): string | undefined =>
  thrown instanceof oauth.ResponseBodyError ? thrown.error : undefined

/** How servers say that a code does not work (RFC 6749, section 5.2; the code host has words of its own). */
const CODE_REFUSALS = ['invalid_grant', 'bad_verification_code']

/** As `asOauthFailed`, of what came of an authorization code: that one is wrong is its sender's doing. */
export const asExchangeFailed = (thrown: unknown): never => {
  const refusal = refusalIn(thrown)
  if (refusal !== undefined && CODE_REFUSALS.includes(refusal)) throw invalidCode(refusal)
  return asOauthFailed(thrown)
}

/** Errors of oauth4webapi hold what the server sent, tokens among it: of them only the code goes on. */
export const asOauthFailed = (thrown: unknown): never => {
  if (thrown instanceof Problem) throw thrown
  throw oauthFailed(refusalIn(thrown) ?? codeOf(thrown))
}

/** The code of an error, of oauth4webapi or a Problem. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined

/**
 * A fetch that makes token answers what RFC 6749 says they are: the code host reports errors with status 200, the first
 * tracker leaves `token_type` out, and the second gives older clients their scopes as a list.
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
