import type { Attempt, AuthMode, CountAttempt } from '../auth/schema.ts'
import { Problem } from '../core/errors.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { Store } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import type { Register } from './registration.ts'
import { type Registration, registrations, toUser, users } from './rows.ts'
import type { User } from './schema.ts'

type Needs = {
  store: Store
  mode: () => AuthMode
  register: Register
  passwords: Passwords
  countAttempt: CountAttempt
}

/** The attempts that are counted by address before the body is read. */
export type AccountAttempt = Exclude<Attempt, 'verifyAccessKey'>

type Credentials = { email: string; password: string }
/**
 * A user who logged in. A change of the password ends all existing sessions, but not one that is opened at the same
 * moment. So `confirm` is called after the session was opened: it throws `bad_credentials` when the password has changed.
 */
export type LoggedIn = { user: User; confirm: () => Promise<void> }
type Applicant = Credentials & { name: string; inviteCode?: string | undefined }

/** Accounts with a password, in cloud mode. */
export const createSignIn = ({ store, mode, register, passwords, countAttempt }: Needs) => {
  /** Counts an attempt from an address before the body is read. Throws Problem `rate_limited`. */
  const countFrom = async (of: AccountAttempt, address: string): Promise<void> => {
    refuseOtherModes(mode())
    await countAttempt(of, { address })
  }

  /** Makes an account. Throws Problem `invalid` `email_taken`, and the errors of the rules of registration. */
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
      throw new Problem(
        'invalid',
        'email_taken',
        'An account with this email address already exists. Sign in',
      )
    return toUser(user)
  }

  /** Throws Problem `unauthenticated` `bad_credentials`: the same, after the same work, for each fault. */
  const logIn = async ({ email, password }: Credentials): Promise<LoggedIn> => {
    refuseOtherModes(mode())
    await countAttempt('login', { account: emailKey(email) })
    const registration = await store.get(registrations, emailKey(email))
    const isRight = await passwords.verify(password, registration?.passwordHash)
    const user = isRight && registration ? await store.get(users, registration.userId) : undefined
    if (registration === undefined || user === undefined || user.disabled) throw badCredentials()
    return { user: toUser(user), confirm: confirmation(store, registration) }
  }

  return { countFrom, signUp, logIn }
}

export const confirmation =
  (store: Store, { email, passwordHash }: Registration) =>
  async (): Promise<void> => {
    if ((await store.get(registrations, email))?.passwordHash !== passwordHash) throw badCredentials()
  }

/** Throws Problem `unsupported` `cloud_mode_only` in modes without passwords. */
export const refuseOtherModes = (mode: AuthMode): void => {
  if (mode !== 'cloud')
    throw new Problem(
      'unsupported',
      'cloud_mode_only',
      'This installation has no passwords. Set AUTH_MODE to cloud to use them',
    )
}

const badCredentials = () =>
  new Problem('unauthenticated', 'bad_credentials', 'The email address or the password is wrong')
