import { bearerIn, SESSION_COOKIE } from '../http/credential.ts'
import { type Handlers, Reply } from '../http/route.ts'
import type { AccessKey } from './access-key.ts'
import type { authRoutes } from './contract.ts'
import { noSessionCookie, sessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

/** As many as browsers keep of one site (RFC 6265, section 6.1): each that is sent costs a read of storage. */
const MOST_COOKIES = 50

type Needs = { sessions: Sessions; accessKey: AccessKey }

export const authHandlers = ({ sessions, accessKey }: Needs): Handlers<typeof authRoutes> => ({
  logout: async (_input, { header, cookies, origin }) => {
    // The browser forgets its cookie with this answer, whoever else a Bearer token says it is; and no token works again
    // whose user is disabled now.
    const bearer = bearerIn(header('authorization')) ?? ''
    for (const token of new Set([bearer, ...cookies(SESSION_COOKIE).slice(0, MOST_COOKIES)]))
      if (token !== '') await sessions.closeToken(token)
    return new Reply({ message: 'Logged out' }, { headers: noSessionCookie(origin().isSecure) })
  },
  verifyAccessKey: async ({ body }, { origin }) => {
    const { address, isSecure } = origin()
    const { token } = await accessKey.verify(body.key, address)
    return new Reply(
      { success: true as const, message: 'Access key accepted' },
      { headers: sessionCookie(token, isSecure) },
    )
  },
  changeAccessKey: async ({ body: { key } }, { principal, origin }) => {
    const opened = await accessKey.change(principal, key)
    const hasAccessKey = key !== null
    const message = hasAccessKey ? 'Access key set' : 'Access key removed: requests need no sign-in'
    return new Reply(
      { success: true as const, hasAccessKey, message },
      { headers: opened ? sessionCookie(opened.token, origin().isSecure) : {} },
    )
  },
})
