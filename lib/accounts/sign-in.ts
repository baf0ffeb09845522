import type { AuthMode, CountAttempt } from '../auth/schema.ts'
import { Problem } from '../core/errors.ts'
import type { Passwords } from '../ports/passwords.ts'
import { emailKey } from './fields.ts'
import type { Register } from './registration.ts'
import type { Registry } from './registry.ts'
import { shownUser } from './rows.ts'
import type { User } from './schema.ts'

type Needs = {
  mode: () => AuthMode
  registry: Registry
  register: Register
  passwords: Passwords
  countAttempt: CountAttempt
}

type Credentials = { email: string; password: string }
type Applicant = Credentials & { name: string; inviteCode?: string | undefined }

/** Accounts with a password, in cloud mode. */
export const createSignIn = ({ mode, registry, register, passwords, countAttempt }: Needs) => {
  const refuseOtherModes = () => {
    if (mode() !== 'cloud')
      throw new Problem('unsupported', 'cloud_mode_only', 'Passwords belong to AUTH_MODE=cloud')
  }

  /** Makes an account. Throws Problem `invalid` `email_taken`, and what the rules of registration say. */
  const signUp = async ({ password, ...given }: Applicant, address: string): Promise<User> => {
    refuseOtherModes()
    const email = emailKey(given.email)
    await countAttempt('signup', { address, account: email })
    const applicant = {
      email,
      shownEmail: given.email,
      emailVerified: false,
      name: given.name,
      code: given.inviteCode,
    }
    const registration = await register(applicant, () => passwords.hash(password))
    if (registration === undefined)
      throw new Problem('invalid', 'email_taken', 'There is an account with this e-mail address: log in')
    return shownUser(await registry.userOf(registration))
  }

  /**
   * Whose credentials they are. Throws Problem `unauthenticated` `bad_credentials`, after the same work and in the same
   * words whether there is no such account, its password is another, or it is disabled.
   */
  const logIn = async ({ email, password }: Credentials, address: string): Promise<User> => {
    refuseOtherModes()
    await countAttempt('login', { address, account: emailKey(email) })
    const registration = await registry.holderOf(emailKey(email))
    const isRight = await passwords.verify(password, registration?.passwordHash)
    const user = isRight && registration ? await registry.userOf(registration) : undefined
    if (user === undefined || user.disabled)
      throw new Problem('unauthenticated', 'bad_credentials', 'The e-mail address or the password is wrong')
    return shownUser(user)
  }

  return { signUp, logIn }
}
