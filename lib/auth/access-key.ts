import { hash, timingSafeEqual } from 'node:crypto'
import { invalid, Problem } from '../core/errors.ts'
import { LOCAL_USER, type Principal } from '../core/principal.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { AuthMode, CountAttempt, OpenedSession } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Needs = {
  mode: () => AuthMode
  /** The key in the environment, which takes precedence over a stored one. */
  fixedKey: string | undefined
  stored: {
    hash(): string | undefined
    /** Replaces the hash `from` by `to`, where undefined means no key; false when the stored hash is another one. */
    replaceHash(from: string | undefined, to: string | undefined): Promise<boolean>
    reread(): Promise<unknown>
  }
  passwords: Passwords
  sessions: Pick<Sessions, 'open' | 'close' | 'closeAll'>
  countAttempt: CountAttempt
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
  /** Whether the service may run without a key on its host. */
  mayBeOpen: boolean
}

export type AccessKey = ReturnType<typeof createAccessKey>

/** The optional access key of local mode: a caller with the key is the local admin. */
export const createAccessKey = (needs: Needs) => {
  const { stored, passwords, sessions } = needs
  const fixedKey = needs.fixedKey === undefined ? undefined : typed(needs.fixedKey)

  const exists = (): boolean => fixedKey !== undefined || stored.hash() !== undefined

  const refuseOtherModes = () => {
    if (needs.mode() !== 'local')
      throw new Problem('unsupported', 'local_mode_only', 'Access keys are only used with AUTH_MODE=local')
  }

  const matches = (key: string, hash: string | undefined): Promise<boolean> =>
    fixedKey === undefined ? passwords.verify(key, hash) : Promise.resolve(isSame(key, fixedKey))

  const countAttempt = async (address: string): Promise<void> => {
    refuseOtherModes()
    // Wrong guesses block the owner too, for a minute at a time, as with logins: there is one key for all callers.
    await needs.countAttempt('verifyAccessKey', { address, account: LOCAL_USER })
  }

  /** Opens a session for the key. Throws `invalid` when no key is set, `unauthenticated` for a wrong one. */
  const verify = async (key: string, userAgent?: string): Promise<OpenedSession> => {
    refuseOtherModes()
    await stored.reread()
    const hash = stored.hash()
    if (!exists())
      throw new Problem('invalid', 'no_access_key', 'No access key is set, so no sign-in is needed')
    if (!(await matches(typed(key), hash))) throw wrongKey()
    const opened = await sessions.open(LOCAL_USER, userAgent)
    // A concurrent change of the key has ended all earlier sessions, and this session may be younger than that.
    await stored.reread()
    if (stored.hash() === hash) return opened
    await sessions.close(opened.sessionId)
    throw wrongKey()
  }

  const refuseChange = (key: string | null) => {
    refuseOtherModes()
    if (fixedKey !== undefined)
      throw invalid(
        [{ path: 'key', message: 'is set by ACCESS_KEY in the environment' }],
        'setting_not_changeable',
      )
    if (key === null && !needs.mayBeOpen)
      throw invalid(
        [{ path: 'key', message: 'cannot be removed while other machines can reach the service' }],
        'access_key_required',
      )
  }

  /**
   * Sets or removes the key. The caller stays signed in; all other sessions end. Paired devices stay, also those paired
   * while there was no key: /api/devices/paired lists and revokes them. One of several concurrent changes succeeds; the
   * others fail, because the key that admitted them was replaced.
   */
  const change = async (principal: Principal, key: string | null, userAgent?: string) => {
    refuseChange(key)
    const { sessionId } = principal
    // A caller without a session was admitted because no key was set.
    const stood = sessionId === undefined ? undefined : stored.hash()
    const hash = key === null ? undefined : await passwords.hash(typed(key))
    if (!(await stored.replaceHash(stood, hash))) throw keyChanged(sessionId !== undefined)
    await sessions.closeAll(LOCAL_USER, { except: sessionId })
    await needs.audit(principal, key === null ? 'access-key.remove' : 'access-key.set')
    // There was no sign-in before, so there is no session to continue.
    return key !== null && sessionId === undefined ? sessions.open(LOCAL_USER, userAgent) : undefined
  }

  return { exists, countAttempt, verify, change }
}

/** Keyboards encode the same letters differently; see RFC 8265, section 4.2. */
const typed = (key: string) => key.normalize('NFC')

const wrongKey = () => new Problem('unauthenticated', 'wrong_access_key', 'The access key is wrong')

const keyChanged = (hasSession: boolean) =>
  hasSession
    ? new Problem(
        'invalid',
        'access_key_changed',
        'The access key was just changed. Sign in with the new one',
      )
    : new Problem('unauthenticated', 'not_signed_in', 'An access key was just set. Sign in with it')

/** Compares in constant time, so that the duration does not reveal where two texts differ. */
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => hash('sha256', text, 'buffer')
