import { bearerIn, SESSION_COOKIE } from '../http/credential.ts'
import { admitting, type Handlers, Reply } from '../http/route.ts'
import type { AccessKey } from './access-key.ts'
import type { authRoutes } from './contract.ts'
import type { OwnSessions } from './own-sessions.ts'
import type { PhoneLinks } from './phone-links.ts'
import { noSessionCookie, type Sessions, sessionCookie } from './sessions.ts'

/** The number that browsers keep for one site (RFC 6265, section 6.1): each sent cookie costs a read of storage. */
const MOST_COOKIES = 50

/** Verifies the key from a browser, whose address the record of refusals names. */
export type VerifyKey = (
  key: string,
  from: { address: string; userAgent?: string },
) => ReturnType<AccessKey['verify']>

type SignInByPhone = (
  code: string,
  from: { address: string; isSecure: boolean; userAgent?: string },
) => ReturnType<PhoneLinks['signIn']>

type Needs = {
  sessions: Sessions
  ownSessions: OwnSessions
  accessKey: Omit<AccessKey, 'verify'> & { verify: VerifyKey }
  phoneLinks: Omit<PhoneLinks, 'signIn'> & { signIn: SignInByPhone }
}

export const authHandlers = ({
  sessions,
  ownSessions,
  accessKey,
  phoneLinks,
}: Needs): Handlers<typeof authRoutes> => ({
  logout: async (_input, { header, cookies, origin }) => {
    // Ends the sessions of the cookies and of a Bearer token, also when they belong to different or disabled users.
    const bearer = bearerIn(header('authorization')) ?? ''
    for (const token of new Set([bearer, ...cookies(SESSION_COOKIE).slice(0, MOST_COOKIES)]))
      if (token !== '') await sessions.closeToken(token)
    return new Reply({ message: 'Signed out' }, { headers: noSessionCookie(origin().isSecure) })
  },
  verifyAccessKey: admitting(
    ({ origin }) => accessKey.countAttempt(origin().address),
    async ({ body }, { origin }) => {
      const from = origin()
      const { token } = await accessKey.verify(body.key, from)
      return new Reply(
        { success: true as const, message: 'Access key accepted' },
        { headers: sessionCookie(token, from.isSecure) },
      )
    },
  ),
  changeAccessKey: async ({ body: { key } }, { principal, origin }) => {
    const opened = await accessKey.change(principal, key, origin().userAgent)
    const hasAccessKey = key !== null
    const message = hasAccessKey ? 'Access key set' : 'Access key removed. No sign-in is needed'
    return new Reply(
      { success: true as const, hasAccessKey, message },
      { headers: opened ? sessionCookie(opened.token, origin().isSecure) : {} },
    )
  },
  listSessions: ({ query }, { principal }) => ownSessions.list(principal, query),
  endSession: async ({ params }, { principal }) => {
    await ownSessions.end(principal, params.id)
    return { message: 'Session revoked' }
  },
  endOtherSessions: async (_input, { principal }) => {
    await ownSessions.endOthers(principal)
    return { message: 'All other sessions revoked' }
  },
  createPhoneLink: (_input, { principal, origin }) => phoneLinks.create(principal, origin().baseUrl),
  getPhoneLink: ({ params }, { principal }) => phoneLinks.status(principal, params.id),
  signInByPhone: admitting(
    ({ origin }) => phoneLinks.count(origin().address),
    async ({ body }, { origin }) =>
      new Reply({ message: 'Signed in' }, { headers: await phoneLinks.signIn(body.code, origin()) }),
  ),
})
