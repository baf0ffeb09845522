import type { GrantSession } from '../auth/schema.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { type Call, type Handlers, Reply } from '../http/route.ts'
import type { Log } from '../ports/log.ts'
import type { oauthRoutes } from './contract.ts'
import { type BeginOptions, type Finished, type Flow, isForeignLink, type Returned } from './flow.ts'
import { type Failure, FailureSchema, type ProviderName } from './schema.ts'

type Needs = { oauth: { flow: Flow; grantSession: GrantSession; log: Log } }

export const oauthHandlers = ({ oauth }: Needs): Handlers<typeof oauthRoutes> => {
  const { flow, grantSession, log } = oauth

  const begin =
    (name: ProviderName) =>
    async ({ query }: { query: BeginOptions }, call: Call) => {
      // Portals and mails may link to the sign-in: a user who is signed in is sent to the page, and links no account.
      if (isForeignLink(call)) return goTo('/')
      const { url, headers } = await flow.begin(name, query, call)
      return goTo(url, headers)
    }

  const sessionFor = async ({ user, isLinked }: Finished, call: Call) =>
    isLinked ? {} : grantSession(user.id, call.origin())

  const finish =
    (name: ProviderName) =>
    async ({ query }: { query: Returned }, call: Call) => {
      try {
        return goTo('/', await sessionFor(await flow.finish(name, query, call), call))
      } catch (thrown) {
        if (thrown instanceof Problem && thrown.kind === 'unsupported') throw thrown
        const reason = failureReason(thrown)
        const why =
          thrown instanceof Problem ? { cause: errorMessage(thrown.cause ?? thrown) } : { err: thrown }
        log.warn({ provider: name, reason, ...why }, 'a sign-in with a provider failed')
        return goTo(`/login?error=${reason}`)
      }
    }

  return {
    beginCodehost: begin('codehost'),
    finishCodehost: finish('codehost'),
    beginTrackera: begin('trackera'),
    finishTrackera: finish('trackera'),
    beginTrackerb: begin('trackerb'),
    finishTrackerb: finish('trackerb'),
    beginOidc: begin('oidc'),
    finishOidc: finish('oidc'),
    codehostUrl: async ({ query }, call) => {
      const { url, state, headers } = await flow.begin('codehost', query, call)
      return new Reply({ url, state }, { headers })
    },
    codehostToken: async ({ body }, call) => {
      const finished = await flow.finish('codehost', body, call)
      const message = finished.isLinked ? 'Account linked' : 'Signed in'
      return new Reply({ user: finished.user, message }, { headers: await sessionFor(finished, call) })
    },
  }
}

const goTo = (location: string, headers: Readonly<Record<string, string>> = {}) =>
  new Reply(
    { raw: '' },
    { status: 302, headers: { 'content-type': 'text/plain; charset=utf-8', location, ...headers } },
  )

/** The code of a Problem, which a person can act on, else `oauth_failed`. */
const failureReason = (thrown: unknown): Failure =>
  FailureSchema.safeParse(thrown instanceof Problem ? thrown.code : undefined).data ?? 'oauth_failed'
