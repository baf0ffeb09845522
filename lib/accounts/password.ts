import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthMode, CountAttempt, EndSessions } from '../auth/schema.ts'
import { missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { Store, When } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import { type Registration, registrations, shownUser, users } from './rows.ts'
import { confirmation, type LoggedIn, refuseOtherModes } from './sign-in.ts'

const CODE_BYTES = 16
const CODE_MS = 3_600_000

type Needs = {
  store: Store
  mode: () => AuthMode
  passwords: Passwords
  entropy: Entropy
  clock: Clock
  countAttempt: CountAttempt
  endSessions: EndSessions
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

type Change = { currentPassword: string; newPassword: string }
type Reset = { email: string; code: string; newPassword: string }

/** How an account gets another password. API tokens stay: they are listed and revoked at /api/tokens. */
export const createPasswordChanges = (needs: Needs) => {
  const { store, passwords, clock, countAttempt, endSessions, audit } = needs

  const registrationOf = async (userId: string): Promise<Registration | undefined> => {
    const user = await store.get(users, userId)
    const registration = user && (await store.get(registrations, emailKey(user.email)))
    return registration?.userId === userId ? registration : undefined
  }

  /**
   * Puts another password in place if `when` still holds, and ends every session of the account but the caller's own;
   * answers its hash. A reset code that there is for the account is used up by any change. The sessions
   * end before the write, so that a process that dies leaves none that the old password opened; and again after it, for
   * those that began in between.
   */
  const replace = async (
    principal: Principal,
    { email, userId }: Registration,
    { when, newPassword }: { when: When<Registration>; newPassword: string },
  ): Promise<string | undefined> => {
    const { sessionId: except } = principal
    const passwordHash = await passwords.hash(newPassword)
    const endOthers = () =>
      endSessions(userId, { devices: { by: principal }, ...(except === undefined ? {} : { except }) })
    await endOthers()
    const { applied } = await store.commit<Registration>({
      update: registrations,
      key: email,
      when,
      set: { passwordHash },
      unset: ['resetHash', 'resetUntil'],
    })
    if (!applied) return undefined
    await endOthers()
    return passwordHash
  }

  /** Changes the caller's own password. Throws Problem `unauthenticated` `wrong_password` when the current one is another. */
  const changePassword = async (
    principal: Principal,
    { currentPassword, newPassword }: Change,
  ): Promise<void> => {
    refuseOtherModes(needs.mode())
    await countAttempt('changePassword', { account: principal.userId })
    const registration = await registrationOf(principal.userId)
    const isRight = await passwords.verify(currentPassword, registration?.passwordHash)
    const when = { passwordHash: registration?.passwordHash ?? null }
    // Of two changes at once the second finds that its current password is none any more.
    if (!isRight || !registration || !(await replace(principal, registration, { when, newPassword })))
      throw wrongPassword()
    await audit(principal, 'password.change', { userId: principal.userId })
  }

  /**
   * A code with which the owner of an account sets another password, once and within an hour; one that was given before is
   * worth nothing any more. Throws Problem `missing` for an account that is not there.
   */
  const createResetCode = async (principal: Principal, userId: string) => {
    refuseOtherModes(needs.mode())
    const registration = await registrationOf(userId)
    if (registration === undefined) throw missing('User')
    const code = needs.entropy(CODE_BYTES).toString('base64url')
    const resetUntil = clock.now() + CODE_MS
    await store.commit<Registration>({
      update: registrations,
      key: registration.email,
      set: { resetHash: digest(code).toString('hex'), resetUntil },
    })
    const expiresAt = iso(resetUntil)
    await audit(principal, 'password.reset-code', { userId, expiresAt })
    return { code, expiresAt }
  }

  /** Whose code it is, if it can be used. What is done does not depend on whether there is such an account. */
  const holderOf = async ({ email, code }: Reset): Promise<Registration | undefined> => {
    const registration = await store.get(registrations, emailKey(email))
    const stored =
      registration?.resetHash === undefined ? NO_BYTES : Buffer.from(registration.resetHash, 'hex')
    const isRight = timingSafeEqual(digest(code), stored)
    return isRight && (registration?.resetUntil ?? 0) > clock.now() ? registration : undefined
  }

  /**
   * Sets another password by a reset code. Throws Problem `unauthenticated` `bad_reset_code`, after the same work and in the
   * same words whether there is no such account, it has no code, another or an expired one, or it is disabled.
   */
  const resetPassword = async (reset: Reset): Promise<LoggedIn> => {
    refuseOtherModes(needs.mode())
    await countAttempt('resetPassword', { account: emailKey(reset.email) })
    const registration = await holderOf(reset)
    const user = registration && (await store.get(users, registration.userId))
    if (registration?.resetHash === undefined || user === undefined || user.disabled) throw badResetCode()
    const { newPassword } = reset
    const { resetHash } = registration
    const by: Principal = { userId: user.id, role: user.role }
    const passwordHash = await replace(by, registration, { when: { resetHash }, newPassword })
    if (passwordHash === undefined) throw badResetCode()
    await audit(by, 'password.reset', { userId: user.id })
    return { user: shownUser(user), confirm: confirmation(store, { ...registration, passwordHash }) }
  }

  return { changePassword, createResetCode, resetPassword }
}

const NO_BYTES = Buffer.alloc(32)
const digest = (code: string) => createHash('sha256').update(code).digest()

const badResetCode = () =>
  new Problem(
    'unauthenticated',
    'bad_reset_code',
    'The e-mail address or the code is wrong, or the code was used or has expired: ask an admin for a new one',
  )

const wrongPassword = () => new Problem('unauthenticated', 'wrong_password', 'The current password is wrong')
