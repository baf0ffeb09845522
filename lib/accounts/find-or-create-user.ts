import type { AuthMode } from '../auth/schema.ts'
import { CONTROLS } from '../core/controls.ts'
import { cutText } from '../core/cut-text.ts'
import { Problem } from '../core/errors.ts'
import type { Store } from '../ports/store.ts'
import { AvatarUrlSchema, EmailSchema, emailKey, NameSchema } from './fields.ts'
import type { Applicant, Register } from './registration.ts'
import { type Registration, registrations, toUser, users } from './rows.ts'
import type { FederatedIdentity, FindOrCreateUser } from './schema.ts'

type Needs = { store: Store; mode: () => AuthMode; register: Register }

/**
 * Accounts of people whom a provider authenticated. Only an address that the provider verified counts, and it opens only
 * an account that has proven the same address: otherwise a person who registers another's address with a password first
 * would later share that account.
 */
export const createFindOrCreateUser = ({ store, mode, register }: Needs): FindOrCreateUser => {
  const existing = async (registration: Registration) => {
    if (!registration.emailVerified) throw accountExists()
    const user = await store.get(users, registration.userId)
    if (user === undefined || user.disabled)
      throw new Problem('forbidden', 'sign_in_refused', 'This account is disabled')
    return { user: toUser(user), isNew: false }
  }

  return async (person, linkWrite) => {
    if (mode() === 'local')
      throw new Problem(
        'unsupported',
        'cloud_mode_only',
        'This installation has no user accounts. Set AUTH_MODE to cloud or oidc',
      )
    const applicant = toApplicant(person)
    const registration = await store.get(registrations, applicant.email)
    if (registration !== undefined) return existing(registration)
    const user = await register(applicant, { linkWrite })
    if (user !== undefined) return { user: toUser(user), isNew: true }
    // Two concurrent sign-ins of the same person.
    const faster = await store.get(registrations, applicant.email)
    if (faster === undefined) throw new Error('An address is taken, but no user has it')
    return existing(faster)
  }
}

const toApplicant = (person: FederatedIdentity): Applicant => {
  const email = EmailSchema.safeParse(person.email?.trim())
  if (!email.success)
    throw new Problem('invalid', 'email_not_usable', 'The email address of this account cannot be used here')
  if (!person.emailVerified)
    throw new Problem(
      'forbidden',
      'email_not_verified',
      'Your email address is not verified at the provider. Verify it there, then try again',
    )
  const avatarUrl = AvatarUrlSchema.safeParse(person.avatarUrl)
  return {
    email: emailKey(email.data),
    shownEmail: email.data,
    emailVerified: true,
    name: toAccountName(person.name) ?? toAccountName(email.data) ?? 'Unnamed user',
    ...(avatarUrl.success ? { avatarUrl: avatarUrl.data } : {}),
    code: person.invite,
  }
}

/** Cuts a provider's name to the longest name of an account. */
const toAccountName = (text: string | undefined): string | undefined =>
  NameSchema.safeParse(cutText(text?.split(CONTROLS).join(' ').trim() ?? '', 100).trimEnd()).data

const accountExists = () =>
  new Problem(
    'forbidden',
    'account_exists',
    'An account with this email address already exists. Sign in with its password, then link this provider',
  )
