import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Invites } from './invites.ts'
import type { Registry } from './registry.ts'
import type { InviteRow, Registration } from './rows.ts'

export type RegistrationMode = 'invite' | 'open' | 'closed'

/** Who wants an account. `email` is in the form that addresses are compared in. */
export type Applicant = Pick<
  Registration,
  'email' | 'shownEmail' | 'emailVerified' | 'name' | 'avatarUrl'
> & {
  /** An invite's; an empty one is none. */
  code?: string | undefined
}

type Needs = {
  registry: Registry
  invites: Invites
  registrationMode: () => RegistrationMode
  clock: Clock
  ids: Ids
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

/** Why somebody may register. */
type Admission = { as: 'founder' } | { as: 'anybody' } | { as: 'invited'; invite: InviteRow }

export type Register = ReturnType<typeof createRegister>

/** The rules of registration: the first account needs no invite and is admin; every other one is a user's. */
export const createRegister = ({ registry, invites, registrationMode, clock, ids, audit }: Needs) => {
  /** Throws Problem `forbidden` `registration_closed` or `invite_required`, `invalid` `invalid_invite`. */
  const admit = async ({ email, emailVerified, code }: Applicant): Promise<Admission> => {
    if (registrationMode() === 'closed') throw closed()
    if (!(await registry.isFounded())) return { as: 'founder' }
    if (registrationMode() === 'open') return { as: 'anybody' }
    if (code) return { as: 'invited', invite: await invites.ofCode(code, email) }
    const invite = emailVerified ? await invites.ofEmail(email) : undefined
    if (invite === undefined) throw inviteRequired()
    return { as: 'invited', invite }
  }

  const registrationOf = (
    { code: _code, ...applicant }: Applicant,
    admission: Admission,
    given: { userId: string; passwordHash: string | undefined },
  ): Registration => ({
    ...applicant,
    // Whoever has an invite to an address has it from an admin, who sent it there.
    emailVerified:
      applicant.emailVerified || (admission.as === 'invited' && admission.invite.email === applicant.email),
    userId: given.userId,
    ...(given.passwordHash === undefined ? {} : { passwordHash: given.passwordHash }),
    role: admission.as === 'founder' ? 'admin' : 'user',
    createdAt: iso(clock.now()),
  })

  const admitted = async (applicant: Applicant, admission: Admission, passwordHash: string | undefined) => {
    const fresh = ids.next('user')
    const { email } = applicant
    const userId =
      admission.as === 'invited' ? await invites.use(admission.invite, { userId: fresh, email }) : fresh
    const registration = registrationOf(applicant, admission, { userId, passwordHash })
    if (admission.as === 'founder' ? await registry.found(registration) : await registry.add(registration)) {
      const invite = admission.as === 'invited' ? { inviteId: admission.invite.id } : {}
      await audit({ userId, role: registration.role }, 'user.register', { as: admission.as, ...invite })
      return registration
    }
    const holder = await registry.holderOf(email)
    if (admission.as === 'invited' && holder?.userId !== userId)
      await invites.giveBack(admission.invite, userId)
    return undefined
  }

  /** Makes the account that the rules allow, or throws what they say; undefined when the address has an account. */
  return async (
    applicant: Applicant,
    hash: () => Promise<string> | undefined = () => undefined,
  ): Promise<Registration | undefined> => {
    const admission = await admit(applicant)
    if (await registry.holderOf(applicant.email)) return undefined
    const passwordHash = await hash()
    const registration = await admitted(applicant, admission, passwordHash)
    if (registration !== undefined || admission.as !== 'founder') return registration
    // Somebody else was first, so what holds for everybody else holds here too.
    return admitted(applicant, await admit(applicant), passwordHash)
  }
}

const closed = () =>
  new Problem(
    'forbidden',
    'registration_closed',
    'Registration is closed: REGISTRATION_MODE, or the setting system.registrationMode, decides',
  )

const inviteRequired = () =>
  new Problem('forbidden', 'invite_required', 'Registration needs an invite code: ask an admin for one')
