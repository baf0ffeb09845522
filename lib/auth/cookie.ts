import type { GrantSession } from './schema.ts'
import { SESSION_MS, type Sessions } from './sessions.ts'

const SESSION_COOKIE = 'svc_session'

/** The header that gives a browser its session, or takes it away; see RFC 6265, section 4.1. */
export const sessionCookie = (token: string, isSecure: boolean) => cookie(token, SESSION_MS / 1_000, isSecure)
export const noSessionCookie = (isSecure: boolean) => cookie('', 0, isSecure)

const cookie = (value: string, maxAgeSeconds: number, isSecure: boolean) => ({
  'set-cookie': `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`,
})

/** Begins a session in a browser. */
export const createGrantSession =
  ({ open, close }: Pick<Sessions, 'open' | 'close'>): GrantSession =>
  async (userId, { isSecure, userAgent }, confirm) => {
    const { token, sessionId } = await open(userId, userAgent)
    try {
      await confirm?.()
    } catch (thrown) {
      await close(sessionId)
      throw thrown
    }
    return sessionCookie(token, isSecure)
  }
