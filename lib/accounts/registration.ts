import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Insert, Store } from '../ports/store.ts'
import { type Invites, invalidInvite } from './invites.ts'
import {
  type InviteRow,
  type Registration,
  ROSTER_ID,
  registrations,
  rosters,
  toUserRow,
  type UserRow,
  users,
} from './rows.ts'

export type RegistrationMode = 'invite' | 'open' | 'closed'

/** A person who wants an account. `email` is in the form for comparisons. */
export type Applicant = Pick<
  Registration,
  'email' | 'shownEmail' | 'emailVerified' | 'name' | 'avatarUrl'
> & {
  code?: string | undefined
}

/** The credentials that an account begins with: a password, or a link to an account elsewhere. */
type Credentials = {
  passwordHash?: () => Promise<string>
  linkWrite?: ((userId: string) => Promise<AnyWrite>) | undefined
}

type Needs = {
  store: Store
  invites: Invites
  registrationMode: () => RegistrationMode
  clock: Clock
  ids: Ids
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

type Admission = { as: 'founder' } | { as: 'open' } | { as: 'invited'; invite: InviteRow }

export type Register = ReturnType<typeof createRegister>

/** The rules of registration: the first account needs no invite and is admin; every other one is a user's. */
export const createRegister = ({ store, invites, registrationMode, clock, ids, audit }: Needs) => {
  // The first account is permanent: once it exists, storage need not be read again.
  let founded = false

  const isFounded = async (): Promise<boolean> => {
    founded ||= (await store.get(rosters, ROSTER_ID)) !== undefined
    return founded
  }

  /** Throws Problem `forbidden` `registration_closed` or `invite_required`, `invalid` `invalid_invite`. */
  const admit = async ({ email, emailVerified, code }: Applicant): Promise<Admission> => {
    if (registrationMode() === 'closed') throw closed()
    if (!(await isFounded())) return { as: 'founder' }
    if (registrationMode() === 'open') return { as: 'open' }
    if (code) return { as: 'invited', invite: await invites.ofCode(code, email) }
    const invite = emailVerified ? await invites.ofEmail(email) : undefined
    if (invite === undefined) throw inviteRequired()
    return { as: 'invited', invite }
  }

  const newRegistration = (
    { code: _code, ...applicant }: Applicant,
    admission: Admission,
    passwordHash: string | undefined,
  ): Registration => ({
    ...applicant,
    // An admin sent the invite to that address, so the code proves that its holder reads mail there.
    emailVerified:
      applicant.emailVerified || (admission.as === 'invited' && admission.invite.email === applicant.email),
    userId: ids.next('user'),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    role: admission.as === 'founder' ? 'admin' : 'user',
    createdAt: iso(clock.now()),
  })

  /** `taken`: the address has an account. `founded`: another account became the first one meanwhile. */
  const commit = async (
    registration: Registration,
    admission: Admission,
    linkWrite: Credentials['linkWrite'],
  ): Promise<'made' | 'taken' | 'founded'> => {
    const { userId } = registration
    const user: Insert<UserRow> = { insert: users, row: toUserRow(registration) }
    const link = linkWrite ? [await linkWrite(userId)] : []
    const beside: AnyWrite[] = []
    if (admission.as === 'founder')
      beside.push({ insert: rosters, row: { id: ROSTER_ID, version: 0, admins: [userId] } })
    if (admission.as === 'invited') beside.push(invites.use(admission.invite, userId))
    const head = { insert: registrations, row: registration }
    const outcome = await store.commit<Registration>(head, [user, ...beside, ...link])
    if (outcome.applied) return 'made'
    if (outcome.refused === 0) return 'taken'
    if (outcome.refused > 1 + beside.length) throw busy()
    if (admission.as === 'invited') throw invalidInvite()
    return 'founded'
  }

  /** Makes an account if the rules allow it, else throws; undefined when the address has an account. */
  const register = async (
    applicant: Applicant,
    { passwordHash, linkWrite }: Credentials = {},
  ): Promise<UserRow | undefined> => {
    // This check comes first: a caller who may not register does not learn whether an address has an account.
    const admission = await admit(applicant)
    if ((await store.get(registrations, applicant.email)) !== undefined) return undefined
    const hash = await passwordHash?.()
    const registration = newRegistration(applicant, admission, hash)
    const outcome = await commit(registration, admission, linkWrite)
    if (outcome === 'taken') return undefined
    if (outcome === 'founded')
      return register(applicant, {
        ...(hash === undefined ? {} : { passwordHash: async () => hash }),
        linkWrite,
      })
    const { userId, role } = registration
    const invite = admission.as === 'invited' ? { inviteId: admission.invite.id } : {}
    await audit({ userId, role }, 'user.register', { as: admission.as, ...invite })
    return toUserRow(registration)
  }

  return register
}

const closed = () =>
  new Problem(
    'forbidden',
    'registration_closed',
    'Sign-up is closed. Ask an admin to open it under Settings, Installation',
  )

const inviteRequired = () =>
  new Problem('forbidden', 'invite_required', 'Sign-up needs an invite code. Ask an admin for one')

const busy = () =>
  new Problem('unavailable', 'registration_busy', 'This account is being linked to another user. Try again')
