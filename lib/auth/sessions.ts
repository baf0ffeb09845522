import { createHmac, hash } from 'node:crypto'
import { CONTROLS } from '../core/controls.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import { type Actor, LOCAL_USER, type Principal, type Role } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Insert, Store } from '../ports/store.ts'
import { type SessionRow, sessions } from './rows.ts'
import type { AccountStatus, EndSessions, GrantSession, OpenedSession } from './schema.ts'

export const SESSION_MS = 30 * 86_400_000
const TOKEN_BYTES = 32
const PAGE = 200
const LONGEST_USER_AGENT = 300
/** Often enough to tell used sessions from unused ones; a write for each request would be expensive. */
const SEEN_EVERY_MS = 60_000

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  log: Log
  readAccountStatus: (userId: string) => Promise<AccountStatus | undefined>
  isPaired: (deviceId: string) => Promise<boolean>
  /** Removes a paired device; `by` is the user who did it, absent when its own token did. */
  unpair: (deviceId: string, by?: Actor) => Promise<void>
  /** Removes all paired devices of a user except the one with the session `except`; also those without a session yet. */
  unpairAll: (userId: string, which: { by: Actor; except?: string | undefined }) => Promise<void>
  /** The present ACCESS_KEY of the environment: a changed one ends the sessions of the local user. */
  fixedKey?: string | undefined
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Sessions of people and of paired devices. Only the SHA-256 of a token is stored: the token has 256 random bits, so it
 * cannot be guessed, and leaked rows cannot be used to sign in.
 */
export const createSessions = (needs: Needs) => {
  const { store, entropy, clock, log, readAccountStatus, isPaired, fixedKey } = needs

  /** Binds a session to the access key; only the token, which is not stored, makes the proof. */
  const proofFor = (token: string, { userId, deviceId }: Pick<SessionRow, 'userId' | 'deviceId'>) =>
    fixedKey === undefined || userId !== LOCAL_USER || deviceId !== undefined
      ? undefined
      : createHmac('sha256', token).update(fixedKey).digest('base64url')

  const newRow = (token: string, of: Pick<SessionRow, 'userId' | 'deviceId' | 'userAgent'>): SessionRow => {
    const now = clock.now()
    const keyProof = proofFor(token, of)
    return {
      id: tokenHash(token),
      ...of,
      createdAt: iso(now),
      expiresAt: now + SESSION_MS,
      ...definedFields({ keyProof }),
    }
  }

  /** Begins a session. It never reuses a token that the caller sent (session fixation). */
  const open = async (userId: string, userAgent?: string): Promise<OpenedSession> => {
    const token = entropy(TOKEN_BYTES).toString('base64url')
    const row = newRow(token, {
      userId,
      ...definedFields({ userAgent: userAgent && userAgentName(userAgent) }),
    })
    await store.commit<SessionRow>({ insert: sessions, row })
    return { token, sessionId: row.id, expiresAt: row.expiresAt }
  }

  /** The session of a device with a given token, and the write that begins it. */
  const draft = (token: string, userId: string, deviceId: string) => {
    const row = newRow(token, { userId, deviceId })
    const write: Insert<SessionRow> = { insert: sessions, row }
    return { sessionId: row.id, expiresAt: row.expiresAt, write }
  }

  /** The role of a session's user; undefined for a user who may not sign in, and for a device that was revoked. */
  const roleIn = async ({ userId, deviceId }: SessionRow): Promise<Role | undefined> => {
    const status = await readAccountStatus(userId)
    if (status === undefined || status.disabled) return undefined
    // The row of the device decides: one write that revokes the device ends its token.
    if (deviceId !== undefined && !(await isPaired(deviceId))) return undefined
    return status.role
  }

  /** The principal of a token; undefined for a text that is no valid session, and for a user who may not sign in. */
  const findPrincipal = async (token: string): Promise<Principal | undefined> => {
    const row = await store.get(sessions, tokenHash(token))
    if (row === undefined || row.keyProof !== proofFor(token, row)) return undefined
    const role = await roleIn(row)
    if (role === undefined) return undefined
    await storeLastSeen(row)
    return { userId: row.userId, role, sessionId: row.id }
  }

  /** The principal of a session that has not ended; undefined for any other, and for a user who may not sign in. */
  const principalOf = async (sessionId: string): Promise<Principal | undefined> => {
    const row = await store.get(sessions, sessionId)
    const role = row && (await roleIn(row))
    return role && { userId: row.userId, role, sessionId }
  }

  /** Whether the session of an earlier principal has not ended, and its user still has that role. */
  const holds = async ({ sessionId = '', role }: Principal): Promise<boolean> =>
    (await principalOf(sessionId))?.role === role

  /** A failed update of the time does not fail the request. */
  const storeLastSeen = async ({ id, lastSeenAt }: SessionRow): Promise<void> => {
    const now = clock.now()
    if (lastSeenAt !== undefined && now - Date.parse(lastSeenAt) < SEEN_EVERY_MS) return
    await store
      .commit<SessionRow>({ update: sessions, key: id, set: { lastSeenAt: iso(now) } })
      .catch((thrown) =>
        log.warn({ reason: errorMessage(thrown) }, 'the last use of a session was not stored'),
      )
  }

  /** Ends a session; an ended one is no error. A pairing goes first, because it admits the device. */
  const end = async ({ id, deviceId }: SessionRow, by?: Actor): Promise<boolean> => {
    if (deviceId !== undefined) await needs.unpair(deviceId, by)
    return (await store.commit<SessionRow>({ remove: sessions, key: id })).applied
  }

  const close = async (sessionId: string): Promise<boolean> => {
    const row = await store.get(sessions, sessionId)
    return row !== undefined && end(row)
  }

  /** Ends the session of a token, also of a disabled user; an unknown token is no error. */
  const closeToken = (token: string): Promise<boolean> => close(tokenHash(token))

  const closeAll: EndSessions = async (userId, { devices, except }) => {
    if (devices) await needs.unpairAll(userId, { ...devices, except })
    const selection = { index: 'ofUser', is: userId, order: 'asc', limit: PAGE } as const
    for await (const rows of rowPages((from) => store.page(sessions, { ...selection, ...from }))) {
      const ending = rows.filter((row) => row.id !== except && (devices || row.deviceId === undefined))
      await Promise.all(ending.map((row) => end(row, devices?.by)))
    }
  }

  return { open, draft, findPrincipal, principalOf, holds, end, close, closeToken, closeAll }
}

const userAgentName = (text: string) => cutText(text, LONGEST_USER_AGENT).split(CONTROLS).join(' ')

const tokenHash = (token: string) => hash('sha256', token)

const SESSION_COOKIE = 'svc_session'

/** The header that sets or deletes the cookie of a session; see RFC 6265, section 4.1. */
export const sessionCookie = (token: string, isSecure: boolean) => cookie(token, SESSION_MS / 1_000, isSecure)
export const noSessionCookie = (isSecure: boolean) => cookie('', 0, isSecure)

const cookie = (value: string, maxAgeSeconds: number, isSecure: boolean) => ({
  'set-cookie': `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`,
})

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
