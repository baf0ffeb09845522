import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ProviderName } from '../../lib/oauth/schema.ts'
import { onLoopback } from '../../offline/loopback.ts'
import type { createTrackerApi } from '../fakes/trackers.ts'
import { createGrants, refusal, type TokenAnswer } from './grants.ts'
import { createIssuer } from './issuer.ts'

/** Who sits before the browser. `email` may be taken away. */
export type Person = { id: number; name: string; email: string | undefined; verified: boolean }

/** How the token endpoint fails. */
export type Fault =
  | 'none'
  | 'hang'
  | 'drip'
  | 'status 500'
  | 'html'
  | 'huge'
  | 'redirect'
  | 'refusal with 200'
  | 'client refused'
  | 'reset'

type ApiCall = Parameters<ReturnType<typeof createTrackerApi>['call']>[0]

/** Operators register another one when they must. */
const FIRST = { id: 'the-client', secret: 'CANARY-client-secret' }
const NAMES: readonly ProviderName[] = ['codehost', 'trackera', 'trackerb', 'oidc']

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

/** All providers on one port of loopback, each below its name, as their documentation has them. */
export const startProvider = async () => {
  const client = { ...FIRST }
  const grants = createGrants()
  const registered = new Set<string>()
  const person: Person = { id: 583_231, name: 'Ann', email: 'ann@example.com', verified: true }
  const tokenCalls: string[] = []
  const revocations: string[] = []
  const state = {
    fault: 'none' as Fault,
    /** What each answer with tokens waits for. */
    held: Promise.resolve() as Promise<unknown>,
    sites: [{ id: 'cloud-1', name: 'ann-site' }],
    apiFault: false,
    discoveries: 0,
    /** What the issuer's userinfo says beside the subject. */
    userinfo: { email: 'info@example.com', email_verified: 'true' } as object,
    userinfoCalls: 0,
    userinfoFault: 'none' as Fault,
    /** What the APIs answer beside what is told of people. */
    api: undefined as ((call: ApiCall) => Promise<{ status: number; body?: unknown }>) | undefined,
    scopes: { codehost: 'repo,user:email', trackera: 'read:me read:jira-work', trackerb: ['read'] },
  }
  const base = () => loopback.url
  const issuer = createIssuer(
    () => `${base()}/oidc`,
    () => client.id,
  )

  const authorize = (url: URL, response: ServerResponse) => {
    const q = url.searchParams
    const redirectUri = q.get('redirect_uri') ?? ''
    if (!registered.has(redirectUri) || q.get('client_id') !== client.id || q.get('response_type') !== 'code')
      return response.writeHead(400).end('unknown redirect_uri or client')
    if (q.get('code_challenge_method') !== 'S256') return response.writeHead(400).end('PKCE is required')
    const code = grants.code({ redirectUri, challenge: q.get('code_challenge'), nonce: q.get('nonce') })
    const location = `${redirectUri}?${new URLSearchParams({ code, state: q.get('state') ?? '' })}`
    return response.writeHead(302, { location }).end()
  }

  const isClient = (form: URLSearchParams, authorization = '') => {
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${client.secret}`).toString('base64')}`
    const inBody = form.get('client_id') === client.id && form.get('client_secret') === client.secret
    return inBody || decodeURIComponent(atob(authorization.slice(6))) === atob(basic.slice(6))
  }

  const tokenAnswer = (name: string, form: URLSearchParams, authorization?: string): TokenAnswer => {
    if (!isClient(form, authorization)) return refusal('invalid_client')
    if (form.get('grant_type') === 'refresh_token') return grants.renew(form)
    const { nonce, ...answer } = grants.redeem(form)
    if (name !== 'oidc' || answer.status !== 200) return answer
    const claims = {
      sub: `oidc|${person.id}`,
      name: person.name,
      email: person.email,
      email_verified: person.verified,
    }
    return { status: 200, body: { ...answer.body, id_token: issuer.idToken(claims, nonce) } }
  }

  /** As each provider writes its answers; see `conforming` in lib/oauth/grants.ts. */
  const inItsWay = (name: string, { status, body }: TokenAnswer): TokenAnswer => {
    if (name === 'codehost') return { status: 200, body: { ...body, scope: state.scopes.codehost } }
    if (name === 'trackera' && status === 400) return { status: 403, body }
    if (name === 'trackera') {
      const { token_type: _left, ...rest } = body
      return { status, body: { ...rest, scope: state.scopes.trackera } }
    }
    return name === 'trackerb'
      ? { status, body: { ...body, scope: state.scopes.trackerb } }
      : { status, body }
  }

  const token = async (name: string, request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await bodyText(request))
    tokenCalls.push(`${name} ${form.get('grant_type')}`)
    await state.held
    if (state.fault !== 'none') return fail(state.fault, request, response)
    return json(response, inItsWay(name, tokenAnswer(name, form, request.headers.authorization)))
  }

  const api = async (name: string, path: string, request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '' } = request.headers
    if (path.endsWith('/grant')) {
      const { access_token } = JSON.parse(await bodyText(request))
      revocations.push(access_token)
      grants.revoke(access_token)
      return response.writeHead(isClient(new URLSearchParams(), authorization) ? 204 : 401).end()
    }
    const bearer = authorization.replace(/^Bearer /, '')
    if (!grants.works(bearer)) return json(response, { status: 401, body: { message: 'Bad credentials' } })
    if (path === '/oauth/revoke') {
      revocations.push(bearer)
      grants.revoke(bearer)
      return json(response, { status: 200, body: {} })
    }
    const given = await bodyText(request)
    return json(response, (await apiAnswer({ name, path, given }, request)) ?? { status: 404, body: {} })
  }

  /** What is known of people, else what the test answers. */
  const apiAnswer = async (asked: Asked, request: IncomingMessage) => {
    const isOfPeople = request.method === 'GET' || asked.given.includes('viewer')
    const body = isOfPeople && profile(asked.name, asked.path, person, state)
    if (body) return state.apiFault ? undefined : { status: 200, body }
    return state.api && elsewhere(asked, request)
  }

  type Asked = { name: string; path: string; given: string }
  const elsewhere = async ({ name, path, given }: Asked, { method = '', headers }: IncomingMessage) => {
    const body: unknown = given === '' ? undefined : JSON.parse(given)
    const answer = await state.api?.({ name: name as ApiCall['name'], method, path, headers, body })
    return { status: answer?.status ?? 404, body: (answer?.body ?? {}) as object }
  }

  const userinfo = (request: IncomingMessage, response: ServerResponse) => {
    state.userinfoCalls += 1
    if (state.userinfoFault !== 'none') return fail(state.userinfoFault, request, response)
    return api('oidc', '/userinfo', request, response)
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', base())
    const [, name = '', ...rest] = url.pathname.split('/')
    const path = `/${rest.join('/')}`
    if (path === '/authorize') return authorize(url, response)
    if (path === '/token') return token(name, request, response)
    if (path === '/keys') return json(response, { status: 200, body: issuer.keys() })
    if (path === '/.well-known/openid-configuration') {
      state.discoveries += 1
      return state.fault === 'none'
        ? json(response, { status: 200, body: issuer.discovery() })
        : fail(state.fault, request, response)
    }
    if (path === '/userinfo') return userinfo(request, response)
    return api(name, path.replace(/^\/api/, '') + url.search, request, response)
  })
  const loopback = await onLoopback(server)

  return {
    client,
    person,
    grants,
    issuer,
    state,
    tokenCalls,
    revocations,
    /** The variables with which a service finds all of them here. */
    env: (): Record<string, string> => ({
      ...Object.fromEntries(
        NAMES.slice(0, 3).flatMap((name) => [
          [`${name.toUpperCase()}_CLIENT_ID`, client.id],
          [`${name.toUpperCase()}_CLIENT_SECRET`, client.secret],
          [`${name.toUpperCase()}_AUTHORIZE_URL`, `${base()}/${name}/authorize`],
          [`${name.toUpperCase()}_TOKEN_URL`, `${base()}/${name}/token`],
          [`${name.toUpperCase()}_API_URL`, `${base()}/${name}/api`],
        ]),
      ),
      OIDC_ISSUER: `${base()}/oidc`,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
    }),
    /** Registers the redirect URIs of a service, as an operator does. */
    register: (baseUrl: string, page?: string) => {
      if (page !== undefined) registered.add(baseUrl + page)
      for (const name of NAMES) registered.add(`${baseUrl}/api/auth/${name}/callback`)
    },
    /** What a browser does whose owner agrees: the address that the provider sends it back to. */
    agree: async (url: string): Promise<URL> => {
      const answer = await fetch(url, { redirect: 'manual' })
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`${answer.status} ${await answer.text()}`)
      return new URL(location)
    },
    refreshes: () => tokenCalls.filter((call) => call.endsWith('refresh_token')).length,
    [Symbol.asyncDispose]: loopback.stop,
  }
}

type Told = { sites: object[]; userinfo: object }

const profile = (
  name: string,
  path: string,
  person: Person,
  { sites, userinfo }: Told,
): object | undefined => {
  const { id, name: called, email, verified } = person
  const known: Record<string, object> = {
    'codehost /user': {
      id,
      login: called.toLowerCase(),
      name: called,
      avatar_url: 'https://example.com/a.png',
    },
    'codehost /user/emails': [
      { email: 'other@example.com', primary: false, verified: false },
      ...(email ? [{ email, primary: true, verified }] : []),
    ],
    'trackera /me': {
      account_id: `a:${id}`,
      name: called,
      email,
      email_verified: verified,
      picture: 'https://x.test/a',
    },
    'trackera /oauth/token/accessible-resources': sites,
    'trackerb /graphql': {
      data: {
        viewer: { id: `b-${id}`, name: called, email },
        organization: { id: 'org-1', name: 'Ann & Co' },
        teams: { nodes: [{ id: 'team-1', name: 'Core', key: 'COR' }] },
      },
    },
    'oidc /userinfo': { sub: `oidc|${id}`, ...userinfo },
  }
  return known[`${name} ${path}`]
}

const fail = (fault: Fault, request: IncomingMessage, response: ServerResponse) => {
  if (fault === 'reset') return request.socket.resetAndDestroy()
  if (fault === 'status 500') return json(response, { status: 500, body: { error: 'CANARY' } })
  if (fault === 'html') return response.setHeader('content-type', 'text/html').end('<h1>CANARY</h1>')
  if (fault === 'redirect') return response.writeHead(307, { location: request.url }).end()
  if (fault === 'refusal with 200')
    return json(response, { status: 200, body: { error: 'bad_verification_code' } })
  if (fault === 'client refused')
    return json(response, { status: 200, body: { error: 'incorrect_client_credentials' } })
  if (fault === 'huge') return json(response, { status: 200, body: { access_token: 'x'.repeat(2_000_000) } })
  if (fault === 'drip') {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  }
  return undefined
}

const json = (response: ServerResponse, { status, body }: { status: number; body: object }) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const bodyText = async (request: IncomingMessage) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}
