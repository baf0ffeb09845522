import * as z from 'zod'
import { UserSchema } from '../accounts/schema.ts'
import { boundedText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'

/** Codes of trackers and issuers may contain whole tokens. */
const CodeSchema = boundedText(8_192).meta({ examples: ['abc123'] })
const StateSchema = boundedText(200).meta({ examples: ['c3RhdGU'] })

const BeginQuery = z.object({
  invite: z.string().max(200).optional().describe('Invite code for a new account'),
})
/** A path below the public address. Its segments have plain characters only, so that every parser reads it alike. */
const RedirectPathSchema = z
  .string()
  .max(200)
  .regex(/^\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/, 'must be a plain path such as /signed-in')
const UrlQuery = BeginQuery.extend({
  redirectPath: RedirectPathSchema.optional().describe(
    'Path that GitHub redirects the browser to; by default, the callback that signs in',
  ),
})
/** Every return from the provider is answered with a page, since a person waits for it. */
const CallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  iss: z.string().optional().describe('Issuer of the response (RFC 9207)'),
})

/** Both are for browsers: a user with a session links the account, any other caller signs in with it. */
const begin = <const Path extends string>(path: Path, summary: string) =>
  ({
    method: 'GET',
    path,
    summary,
    about:
      'Open it in a browser: redirects to the provider. With a session, the account is linked; otherwise the user signs in.',
    access: 'optional',
    writes: true,
    limited: true,
    query: BeginQuery,
    status: 302,
    produces: 'text/plain',
    response: z.string(),
  }) as const
const callback = <const Path extends string>(path: Path, summary: string) => {
  const { limited: _none, ...route } = begin(path, summary)
  const about = 'Redirects to the page with a session, or to `/login?error=…` on failure.'
  return { ...route, about, query: CallbackQuery } as const
}

export const oauthRoutes = defineRoutes({
  beginCodehost: begin('/api/auth/codehost', 'Sign in with GitHub, or link an account'),
  finishCodehost: callback('/api/auth/codehost/callback', 'Complete sign-in with GitHub'),
  beginTrackera: begin('/api/auth/trackera', 'Sign in with Jira, or link an account'),
  finishTrackera: callback('/api/auth/trackera/callback', 'Complete sign-in with Jira'),
  beginTrackerb: begin('/api/auth/trackerb', 'Sign in with Linear, or link an account'),
  finishTrackerb: callback('/api/auth/trackerb/callback', 'Complete sign-in with Linear'),
  beginOidc: begin('/api/auth/oidc', 'Sign in with OpenID Connect, or link an account'),
  finishOidc: callback('/api/auth/oidc/callback', 'Complete sign-in with OpenID Connect'),
  codehostUrl: {
    method: 'GET',
    path: '/api/auth/codehost/url',
    summary: 'Create a GitHub authorization URL',
    about: 'For single-page clients: keep `state` and send the user to `url`.',
    access: 'optional',
    writes: true,
    limited: true,
    query: UrlQuery,
    response: z.object({ url: z.string(), state: z.string() }),
  },
  codehostToken: {
    method: 'POST',
    path: '/api/auth/codehost/token',
    summary: 'Sign in with a GitHub code',
    about:
      'For single-page clients: exchanges the code from GitHub for a session cookie, or links the account to your session.',
    access: 'optional',
    body: z.object({ code: CodeSchema, state: StateSchema }),
    response: z.object({ user: UserSchema, message: z.string() }),
  },
})
