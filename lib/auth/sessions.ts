import { createHash, createHmac } from 'node:crypto'
import { messageOf } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import { type Actor, LOCAL_USER, type Principal } from '../core/principal.ts'
import { CONTROLS } from '../core/shown-text.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Insert, Store } from '../ports/store.ts'
import { type SessionRow, sessions } from './rows.ts'
import type { AccountStatus, EndSessions, GrantSession, OpenedSession } from './schema.ts'

/** As long as the cookie lives. */
export const SESSION_MS = 30 * 86_400_000
const TOKEN_BYTES = 32
const PAGE = 200
const LONGEST_USER_AGENT = 300
/** Often enough to tell a session that is in use from one that is not; a write per request would be dear. */
const SEEN_EVERY_MS = 60_000

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  log: Log
  /** The role of a user, and whether the account is disabled; undefined for one who is not there. */
  accountStatusOf: (userId: string) => Promise<AccountStatus | undefined>
  /** Whether a paired device has not been revoked. */
  isPaired: (deviceId: string) => Promise<boolean>
  /** Forgets a paired device: `by` a user, or by its own token. */
  unpair: (deviceId: string, by?: Actor) => Promise<void>
  /** Forgets all paired devices of a user but the one with the session `except`; those, too, that have no session yet. */
  unpairAll: (userId: string, which: { by: Actor; except?: string }) => Promise<void>
  /** ACCESS_KEY as the environment has it now: another one ends the sessions of the local user. */
  fixedKey?: string | undefined
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Sessions, of people and of paired devices. Only the SHA-256 of a token is stored: it has 256 random bits, so there is
 * nothing to guess, and what leaks from storage opens nothing.
 */
export const createSessions = (needs: Needs) => {
  const { store, entropy, clock, log, accountStatusOf, isPaired, fixedKey } = needs

  const proofFor = (token: string, { userId, deviceId }: Pick<SessionRow, 'userId' | 'deviceId'>) =>
    fixedKey === undefined || userId !== LOCAL_USER || deviceId !== undefined
      ? undefined
      : proofOf(token, fixedKey)

  const rowOf = (token: string, of: Pick<SessionRow, 'userId' | 'deviceId' | 'userAgent'>): SessionRow => {
    const now = clock.now()
    const keyProof = proofFor(token, of)
    return {
      id: idOf(token),
      ...of,
      createdAt: iso(now),
      expiresAt: now + SESSION_MS,
      ...(keyProof === undefined ? {} : { keyProof }),
    }
  }

  /** Begins a session. A token that the caller had before is not taken over (session fixation). */
  const open = async (userId: string, userAgent?: string): Promise<OpenedSession> => {
    const token = entropy(TOKEN_BYTES).toString('base64url')
    const row = rowOf(token, {
      userId,
      ...(userAgent === undefined ? {} : { userAgent: shownAgent(userAgent) }),
    })
    await store.commit<SessionRow>({ insert: sessions, row })
    return { token, sessionId: row.id, expiresAt: row.expiresAt }
  }

  /** The session of a device with a token that is decided already, and the write that begins it. */
  const draft = (token: string, userId: string, deviceId: string) => {
    const row = rowOf(token, { userId, deviceId })
    const write: Insert<SessionRow> = { insert: sessions, row }
    return { sessionId: row.id, expiresAt: row.expiresAt, write }
  }

  /** Who holds the token; undefined when it is no session's, not any more, or its user may not come in. */
  const principalOf = async (token: string): Promise<Principal | undefined> => {
    const row = await store.get(sessions, idOf(token))
    if (row === undefined || row.keyProof !== proofFor(token, row)) return undefined
    const status = await accountStatusOf(row.userId)
    if (status === undefined || status.disabled) return undefined
    // What became of the device decides, so that a token ends with the one write that revokes it.
    if (row.deviceId !== undefined && !(await isPaired(row.deviceId))) return undefined
    await noteSeen(row)
    return { userId: row.userId, role: status.role, sessionId: row.id }
  }

  /** When a session was seen is worth no failed request. */
  const noteSeen = async ({ id, lastSeenAt }: SessionRow): Promise<void> => {
    const now = clock.now()
    if (lastSeenAt !== undefined && now - Date.parse(lastSeenAt) < SEEN_EVERY_MS) return
    await store
      .commit<SessionRow>({ update: sessions, key: id, set: { lastSeenAt: iso(now) } })
      .catch((thrown) => log.warn({ reason: messageOf(thrown) }, 'the last use of a session was not stored'))
  }

  /**
   * Ends a session; one that is over already is fine. A device whose session is over can do nothing more, so its pairing
   * goes, and first: that is what lets it in.
   */
  const end = async ({ id, deviceId }: SessionRow, by?: Actor): Promise<boolean> => {
    if (deviceId !== undefined) await needs.unpair(deviceId, by)
    return (await store.commit<SessionRow>({ remove: sessions, key: id })).applied
  }

  /** Ends one session; one that is over already is fine. */
  const close = async (sessionId: string): Promise<boolean> => {
    const row = await store.get(sessions, sessionId)
    return row !== undefined && end(row)
  }

  /** Ends the session of a token, whose user may have been disabled; a token of no user is fine. */
  const closeToken = (token: string): Promise<boolean> => close(idOf(token))

  const closeAll: EndSessions = async (userId, { devices, except }) => {
    if (devices) await needs.unpairAll(userId, { ...devices, ...(except === undefined ? {} : { except }) })
    const selection = { index: 'ofUser', is: userId, order: 'asc', limit: PAGE } as const
    for await (const rows of pagesOf((from) => store.page(sessions, { ...selection, ...from }))) {
      const ending = rows.filter((row) => row.id !== except && (devices || row.deviceId === undefined))
      await Promise.all(ending.map((row) => end(row, devices?.by)))
    }
  }

  return { open, draft, principalOf, end, close, closeToken, closeAll }
}

/** What a browser says of itself, fit for a list. */
const shownAgent = (text: string) =>
  text.slice(0, LONGEST_USER_AGENT).toWellFormed().split(CONTROLS).join(' ')

const idOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Ties a session to an access key. Its secret is the token, which is not stored, so that no key can be guessed from a proof. */
const proofOf = (token: string, key: string) => createHmac('sha256', token).update(key).digest('base64url')

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
