import * as oauth from 'oauth4webapi'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import {
  asExchangeFailed,
  asOauthFailed,
  authorizationUrl,
  errorCode,
  type Registration,
  redeem,
  requestOptions,
} from './grants.ts'
import { hasAddress, oidcProfile } from './profiles.ts'
import { oauthFailed, type Provider } from './provider.ts'

export type IssuerSettings = { issuer: string; clientId: string; clientSecret?: string | undefined }
type Needs = { settings: IssuerSettings; fetch: ProviderFetch; clock: Pick<Clock, 'monotonic'>; log: Log }

const DISCOVERY_MS = 3_600_000
/** The tolerated error of the issuer's clock in seconds. */
const CLOCK_TOLERANCE = 30

/** Any OpenID Connect issuer (Core 1.0, section 3.1). Its tokens are not stored: they only prove who signs in. */
export const createOidcProvider = ({ settings, fetch, clock, log }: Needs): Provider => {
  const { clientId, clientSecret } = settings
  const issuer = new URL(settings.issuer)
  const options = requestOptions(fetch, settings.issuer)
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE }
  let discovery: { server: Promise<oauth.AuthorizationServer>; since: number } | undefined

  const discover = async () => {
    try {
      return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
    } catch (thrown) {
      discovery = undefined
      return asOauthFailed(thrown)
    }
  }
  const serverNow = () => {
    if (discovery === undefined || clock.monotonic() - discovery.since > DISCOVERY_MS)
      discovery = { server: discover(), since: clock.monotonic() }
    return discovery.server
  }

  /** oauth4webapi caches keys by server object: a new object fetches the keys again, so a rotation is never missed. */
  const register = async (): Promise<Registration> => {
    const server = { ...(await serverNow()) }
    return { server, client, authentication: authenticationAt(server, clientSecret), options }
  }

  /** A missing answer is no failure, since a known user does not need it; an answer about another subject is one. */
  const userinfo = async (
    { server }: Registration,
    subject: string,
    { access_token }: oauth.TokenEndpointResponse,
  ) => {
    try {
      const response = await oauth.userInfoRequest(server, client, access_token, options)
      return await oauth.processUserInfoResponse(server, client, subject, response)
    } catch (thrown) {
      const reason = errorCode(thrown)
      if (reason === oauth.JSON_ATTRIBUTE_COMPARISON) throw thrown
      log.warn(
        { provider: 'oidc', reason },
        'userinfo is unavailable: the claims of the ID token are used alone',
      )
      return {}
    }
  }

  return {
    name: 'oidc',
    realm: settings.issuer,
    clientId,

    authorizationUrl: async ({ redirectUri, state, verifier, nonce }) => {
      const { authorization_endpoint } = await serverNow()
      if (authorization_endpoint === undefined) throw oauthFailed('no_authorization_endpoint')
      return authorizationUrl(authorization_endpoint, {
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        verifier,
      })
    },

    exchange: async (callback) => {
      try {
        const registration = await register()
        const { server } = registration
        const response = await redeem(registration, callback)
        const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: callback.nonce,
          requireIdToken: true,
        })
        await oauth.validateApplicationLevelSignature(server, response, options)
        const claims = oauth.getValidatedIdTokenClaims(answer)
        if (claims === undefined) throw oauthFailed('no_id_token')
        // An empty subject would be the same person for everyone.
        if (claims.sub.trim() === '') throw oauthFailed('no_subject')
        if (hasAddress(claims) || server.userinfo_endpoint === undefined)
          return { profile: oidcProfile(claims.sub, claims) }
        return { profile: oidcProfile(claims.sub, claims, await userinfo(registration, claims.sub, answer)) }
      } catch (thrown) {
        return asExchangeFailed(thrown)
      }
    },
  }
}

/** The method that the issuer lists; the default is client_secret_basic (OpenID Connect Discovery 1.0). */
const authenticationAt = (
  server: oauth.AuthorizationServer,
  secret: string | undefined,
): oauth.ClientAuth => {
  if (secret === undefined) return oauth.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret)
}
