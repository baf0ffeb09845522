import type { Attempt, AuthMode, CountAttempt } from '../auth/schema.ts'
import { Problem } from '../core/errors.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { Store } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import type { Register } from './registration.ts'
import { type Registration, registrations, shownUser, users } from './rows.ts'
import type { User } from './schema.ts'

type Needs = {
  store: Store
  mode: () => AuthMode
  register: Register
  passwords: Passwords
  countAttempt: CountAttempt
}

/** What of an account is counted from an address, before the body is read. */
export type AccountAttempt = Exclude<Attempt, 'verifyAccessKey'>

type Credentials = { email: string; password: string }
/**
 * Who logged in. A change of the password ends the sessions that there are; one that is opened at that moment is younger,
 * so `confirm` is asked once it is open: it throws `bad_credentials` when the password was changed meanwhile.
 */
export type LoggedIn = { user: User; confirm: () => Promise<void> }
type Applicant = Credentials & { name: string; inviteCode?: string | undefined }

/** Accounts with a password, in cloud mode. */
export const createSignIn = ({ store, mode, register, passwords, countAttempt }: Needs) => {
  /**
   * Counts an attempt from an address, before anything is known of it: what is no attempt in the end counts too. Throws
   * Problem `rate_limited`.
   */
  const countFrom = async (of: AccountAttempt, address: string): Promise<void> => {
    refuseOtherModes(mode())
    await countAttempt(of, { address })
  }

  /** Makes an account. Throws Problem `invalid` `email_taken`, and what the rules of registration say. */
  const signUp = async ({ password, ...given }: Applicant): Promise<User> => {
    refuseOtherModes(mode())
    const email = emailKey(given.email)
    await countAttempt('signup', { account: email })
    const applicant = {
      email,
      shownEmail: given.email,
      emailVerified: false,
      name: given.name,
      code: given.inviteCode,
    }
    const user = await register(applicant, { passwordHash: () => passwords.hash(password) })
    if (user === undefined)
      throw new Problem('invalid', 'email_taken', 'There is an account with this e-mail address: log in')
    return shownUser(user)
  }

  /**
   * Whose credentials they are. Throws Problem `unauthenticated` `bad_credentials`, after the same work and in the same
   * words whether there is no such account, its password is another, or it is disabled.
   */
  const logIn = async ({ email, password }: Credentials): Promise<LoggedIn> => {
    refuseOtherModes(mode())
    await countAttempt('login', { account: emailKey(email) })
    const registration = await store.get(registrations, emailKey(email))
    const isRight = await passwords.verify(password, registration?.passwordHash)
    const user = isRight && registration ? await store.get(users, registration.userId) : undefined
    if (registration === undefined || user === undefined || user.disabled) throw badCredentials()
    return { user: shownUser(user), confirm: confirmation(store, registration) }
  }

  return { countFrom, signUp, logIn }
}

/** Throws when the account has another password by now. */
export const confirmation =
  (store: Store, { email, passwordHash }: Registration) =>
  async (): Promise<void> => {
    if ((await store.get(registrations, email))?.passwordHash !== passwordHash) throw badCredentials()
  }

/** Throws Problem `unsupported` `cloud_mode_only` where no one signs in with a password. */
export const refuseOtherModes = (mode: AuthMode): void => {
  if (mode !== 'cloud')
    throw new Problem('unsupported', 'cloud_mode_only', 'Passwords belong to AUTH_MODE=cloud')
}

const badCredentials = () =>
  new Problem('unauthenticated', 'bad_credentials', 'The e-mail address or the password is wrong')
