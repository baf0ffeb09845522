import * as z from 'zod'
import { UserSchema } from '../accounts/schema.ts'
import { boundedText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'

/** Codes of trackers and issuers may contain whole tokens. */
const CodeSchema = boundedText(8_192).meta({ examples: ['abc123'] })
const StateSchema = boundedText(200).meta({ examples: ['c3RhdGU'] })

const BeginQuery = z.object({
  invite: z.string().max(200).optional().describe('The code of an invite, for a new account'),
})
/** A path below the public address. Its segments have plain characters only, so that every parser reads it alike. */
const RedirectPathSchema = z
  .string()
  .max(200)
  .regex(/^\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/, 'must be a plain path such as /signed-in')
const UrlQuery = BeginQuery.extend({
  redirectPath: RedirectPathSchema.optional().describe(
    'Where GitHub sends the browser back to; the callback, which signs in, when absent',
  ),
})
/** Every return from the provider is answered with a page, since a person waits for it. */
const CallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  iss: z.string().optional().describe('The issuer of the answer (RFC 9207)'),
})

/** Both are for browsers: a user with a session links the account, any other caller signs in with it. */
const begin = <const Path extends string>(path: Path, summary: string) =>
  ({
    method: 'GET',
    path,
    summary,
    about:
      'Answers 302. With a session the account is linked, without one the person signs in. Open it in a browser.',
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
  const about = 'Answers 302 to the page, with a session; a failure leads to /login?error=….'
  return { ...route, about, query: CallbackQuery } as const
}

export const oauthRoutes = defineRoutes({
  beginCodehost: begin('/api/auth/codehost', 'Go to GitHub to sign in, or to link an account'),
  finishCodehost: callback('/api/auth/codehost/callback', 'Come back from GitHub'),
  beginTrackera: begin('/api/auth/trackera', 'Go to Jira to sign in, or to link an account'),
  finishTrackera: callback('/api/auth/trackera/callback', 'Come back from Jira'),
  beginTrackerb: begin('/api/auth/trackerb', 'Go to Linear to sign in, or to link an account'),
  finishTrackerb: callback('/api/auth/trackerb/callback', 'Come back from Linear'),
  beginOidc: begin('/api/auth/oidc', 'Go to the OpenID Connect issuer to sign in, or to link an account'),
  finishOidc: callback('/api/auth/oidc/callback', 'Come back from the OpenID Connect issuer'),
  codehostUrl: {
    method: 'GET',
    path: '/api/auth/codehost/url',
    summary: 'The address to send a person to, for single-page clients',
    about: 'Keep `state`, and send the person to `url`.',
    access: 'optional',
    writes: true,
    limited: true,
    query: UrlQuery,
    response: z.object({ url: z.string(), state: z.string() }),
  },
  codehostToken: {
    method: 'POST',
    path: '/api/auth/codehost/token',
    summary: 'Sign in, or link an account, with the response of GitHub; for single-page clients',
    about: 'Answers a session cookie.',
    access: 'optional',
    body: z.object({ code: CodeSchema, state: StateSchema }),
    response: z.object({ user: UserSchema, message: z.string() }),
  },
})
