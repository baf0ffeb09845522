import { hash, timingSafeEqual } from 'node:crypto'
import type { AuthMode, CountAttempt, EndSessions } from '../auth/schema.ts'
import { missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { Store, When } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import { type Registration, registrations, toUser, users } from './rows.ts'
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

export const createPasswordChanges = (needs: Needs) => {
  const { store, passwords, clock, countAttempt, endSessions, audit } = needs

  const findRegistration = async (userId: string): Promise<Registration | undefined> => {
    const user = await store.get(users, userId)
    const registration = user && (await store.get(registrations, emailKey(user.email)))
    return registration?.userId === userId ? registration : undefined
  }

  /**
   * Replaces the password if `when` still holds, and ends every session of the account except the caller's; resolves to
   * the new hash. Any change uses up a reset code of the account. The sessions end before the write, so that a death of
   * the process leaves no session of the old password; and again after it, for sessions that began in between.
   */
  const replace = async (
    principal: Principal,
    { email, userId }: Registration,
    { when, newPassword }: { when: When<Registration>; newPassword: string },
  ): Promise<string | undefined> => {
    const { sessionId: except } = principal
    const passwordHash = await passwords.hash(newPassword)
    const endOthers = () => endSessions(userId, { devices: { by: principal }, except })
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

  /** Changes the caller's own password. Throws Problem `unauthenticated` `wrong_password` for a wrong current one. */
  const changePassword = async (
    principal: Principal,
    { currentPassword, newPassword }: Change,
  ): Promise<void> => {
    refuseOtherModes(needs.mode())
    await countAttempt('changePassword', { account: principal.userId })
    const registration = await findRegistration(principal.userId)
    const isRight = await passwords.verify(currentPassword, registration?.passwordHash)
    const when = { passwordHash: registration?.passwordHash ?? null }
    // The second of two concurrent changes finds that its current password was replaced.
    if (!isRight || !registration || !(await replace(principal, registration, { when, newPassword })))
      throw wrongPassword()
    await audit(principal, 'password.change', { userId: principal.userId })
  }

  /** Makes a code for a new password, valid once within an hour; an earlier one ends. Throws Problem `missing`. */
  const createResetCode = async (principal: Principal, userId: string) => {
    refuseOtherModes(needs.mode())
    const registration = await findRegistration(userId)
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

  /** The owner of a valid code. The work does not depend on whether the account exists. */
  const verifyResetCode = async ({ email, code }: Reset): Promise<Registration | undefined> => {
    const registration = await store.get(registrations, emailKey(email))
    const stored =
      registration?.resetHash === undefined ? NO_BYTES : Buffer.from(registration.resetHash, 'hex')
    const isRight = timingSafeEqual(digest(code), stored)
    return isRight && leaseHolds(registration?.resetUntil ?? 0, CODE_MS, clock.now())
      ? registration
      : undefined
  }

  /** Throws Problem `unauthenticated` `bad_reset_code`: the same, after the same work, for each fault. */
  const resetPassword = async (reset: Reset): Promise<LoggedIn> => {
    refuseOtherModes(needs.mode())
    await countAttempt('resetPassword', { account: emailKey(reset.email) })
    const registration = await verifyResetCode(reset)
    const user = registration && (await store.get(users, registration.userId))
    if (registration?.resetHash === undefined || user === undefined || user.disabled) throw badResetCode()
    const { newPassword } = reset
    const { resetHash } = registration
    const by: Principal = { userId: user.id, role: user.role }
    const passwordHash = await replace(by, registration, { when: { resetHash }, newPassword })
    if (passwordHash === undefined) throw badResetCode()
    await audit(by, 'password.reset', { userId: user.id })
    return { user: toUser(user), confirm: confirmation(store, { ...registration, passwordHash }) }
  }

  return { changePassword, createResetCode, resetPassword }
}

const NO_BYTES = Buffer.alloc(32)
const digest = (code: string) => hash('sha256', code, 'buffer')

const badResetCode = () =>
  new Problem(
    'unauthenticated',
    'bad_reset_code',
    'The email address or the code is wrong, or the code was used or has expired. Ask an admin for a new one',
  )

const wrongPassword = () => new Problem('unauthenticated', 'wrong_password', 'The current password is wrong')
