import { hash } from 'node:crypto'
import { missing, Problem } from '../core/errors.ts'
import { LOCAL_USER, type Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { type PhoneLinkRow, phoneLinks } from './rows.ts'
import type { AuthMode, CountAttempt, GrantSession } from './schema.ts'
import type { Sessions } from './sessions.ts'

const CODE_BYTES = 32
/** How long a link can be used. */
const OPEN_MS = 120_000
/** How long a link says afterwards what has become of it. */
const KEPT_MS = 600_000
const PREFIX = 'phone_'

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  mode: () => AuthMode
  sessions: Pick<Sessions, 'principalOf'>
  countAttempt: CountAttempt
  grantSession: GrantSession
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}
type Browser = Parameters<GrantSession>[1]

export type PhoneLinks = ReturnType<typeof createPhoneLinks>

/**
 * Links that sign a phone in as the user who made them, once and within two minutes. Only the SHA-256 of a code is stored;
 * it is in the fragment of the link, which browsers send to no server.
 */
export const createPhoneLinks = (needs: Needs) => {
  const { store, entropy, clock, sessions, countAttempt, grantSession, audit } = needs

  const isInTime = ({ expiresAt }: PhoneLinkRow) => leaseHolds(expiresAt, OPEN_MS, clock.now())

  /** Throws Problem `unsupported` `accounts_only` where there are no accounts, and for a caller without a session. */
  const create = async ({ userId, sessionId }: Principal, baseUrl: string) => {
    if (needs.mode() === 'local' || userId === LOCAL_USER || sessionId === undefined) throw accountsOnly()
    const code = entropy(CODE_BYTES).toString('base64url')
    const now = clock.now()
    const expiresAt = now + OPEN_MS
    const row = { id: codeHash(code), userId, sessionId, expiresAt, keptUntil: expiresAt + KEPT_MS }
    await store.commit<PhoneLinkRow>({ insert: phoneLinks, row })
    const url = `${baseUrl}/sign-in/phone#${code}`
    // Loaded at the first link: nothing else needs it.
    const { toString: draw } = await import('qrcode')
    const qrSvg = await draw(url, { type: 'svg', errorCorrectionLevel: 'M' })
    return { id: PREFIX + row.id, url, qrSvg, expiresAt: iso(expiresAt) }
  }

  /** What has become of a link of the caller's. Throws Problem `missing` for any other. */
  const status = async ({ userId }: Principal, id: string) => {
    const row = id.startsWith(PREFIX) ? await store.get(phoneLinks, id.slice(PREFIX.length)) : undefined
    if (row?.userId !== userId) throw missing('Phone link')
    if (row.usedAt !== undefined) return { status: 'used' as const, usedAt: row.usedAt }
    return { status: isInTime(row) ? ('open' as const) : ('expired' as const) }
  }

  /** Uses a link up, while the session that made it holds; undefined for each fault. */
  const use = async (code: string): Promise<Principal | undefined> => {
    const row = await store.get(phoneLinks, codeHash(code))
    if (row === undefined || row.usedAt !== undefined || !isInTime(row)) return undefined
    const principal = await sessions.principalOf(row.sessionId)
    if (principal === undefined) return undefined
    const { applied } = await store.commit<PhoneLinkRow>({
      update: phoneLinks,
      key: row.id,
      when: { usedAt: null },
      set: { usedAt: iso(clock.now()) },
    })
    return applied ? principal : undefined
  }

  /** Begins a session for the code of a link. Throws Problem `unauthenticated` `bad_phone_link`: the same for each fault. */
  const signIn = async (code: string, browser: Browser) => {
    const principal = needs.mode() === 'local' ? undefined : await use(code)
    if (principal === undefined) throw badLink()
    const headers = await grantSession(principal.userId, browser)
    await audit(principal, 'session.phone')
    return headers
  }

  return {
    create,
    status,
    /** Counts a code before it is read: concurrent guesses are limited too. Throws Problem `rate_limited`. */
    count: (address: string) => countAttempt('phoneLink', { address }),
    signIn,
  }
}

const codeHash = (code: string) => hash('sha256', code)

const accountsOnly = () =>
  new Problem('unsupported', 'accounts_only', 'Phone sign-in requires a user account')

const badLink = () =>
  new Problem(
    'unauthenticated',
    'bad_phone_link',
    'This link is wrong, used or expired. Create a new one under Settings, Devices',
  )
