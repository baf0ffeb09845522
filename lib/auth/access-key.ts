import { createHash, timingSafeEqual } from 'node:crypto'
import { invalid, Problem } from '../core/errors.ts'
import { LOCAL_USER, type Principal } from '../core/principal.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { AuthMode, CountAttempt, OpenedSession } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Needs = {
  mode: () => AuthMode
  /** From the environment; goes before the stored one. */
  fixedKey: string | undefined
  stored: {
    hash(): string | undefined
    setHash(hash: string | undefined): Promise<void>
    refresh(): Promise<void> | undefined
  }
  passwords: Passwords
  sessions: Pick<Sessions, 'open' | 'closeAll'>
  countAttempt: CountAttempt
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
  /** Whether the service may do without a key where it listens. */
  mayBeOpen: boolean
}

export type AccessKey = ReturnType<typeof createAccessKey>

/** The optional key of local mode: whoever knows it is the local admin. */
export const createAccessKey = (needs: Needs) => {
  const { fixedKey, stored, passwords, sessions } = needs

  /** Whether a session is needed at all. */
  const exists = (): boolean => fixedKey !== undefined || stored.hash() !== undefined

  const refuseOtherModes = () => {
    if (needs.mode() !== 'local')
      throw new Problem('unsupported', 'local_mode_only', 'The access key belongs to AUTH_MODE=local')
  }

  const matches = (key: string): Promise<boolean> =>
    fixedKey === undefined ? passwords.verify(key, stored.hash()) : Promise.resolve(isSame(key, fixedKey))

  /** Opens a session for the key. Throws `invalid` when there is none to know, `unauthenticated` for a wrong one. */
  const verify = async (key: string, address: string): Promise<OpenedSession> => {
    refuseOtherModes()
    // Whoever guesses holds up the owner too, for a minute at a time, as with logins: there is one key to guess.
    await needs.countAttempt('verifyAccessKey', { address, account: LOCAL_USER })
    await stored.refresh()
    if (!exists())
      throw new Problem('invalid', 'no_access_key', 'No access key is set: requests need no sign-in')
    if (!(await matches(key)))
      throw new Problem('unauthenticated', 'wrong_access_key', 'The access key is wrong')
    return sessions.open(LOCAL_USER)
  }

  /** Sets the key, or removes it. The caller stays signed in, everybody else is signed out. */
  const change = async (principal: Principal, key: string | null) => {
    refuseOtherModes()
    if (fixedKey !== undefined)
      throw invalid(
        [{ path: 'key', message: 'is decided by ACCESS_KEY in the environment' }],
        'setting_not_changeable',
      )
    if (key === null && !needs.mayBeOpen)
      throw invalid(
        [{ path: 'key', message: 'cannot be removed while others than this machine can reach the service' }],
        'access_key_required',
      )
    await stored.setHash(key === null ? undefined : await passwords.hash(key))
    const { sessionId } = principal
    await sessions.closeAll(LOCAL_USER, {
      devices: false,
      ...(sessionId === undefined ? {} : { except: sessionId }),
    })
    await needs.audit(principal, key === null ? 'access-key.remove' : 'access-key.set')
    // Until now nobody had to sign in, so there is no session yet that could go on.
    return key !== null && sessionId === undefined ? sessions.open(LOCAL_USER) : undefined
  }

  return { exists, verify, change }
}

/** Compares without telling by its time where two texts differ. */
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()
