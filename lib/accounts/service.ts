import type { AuthMode, CountAttempt, EndSessions } from '../auth/schema.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { Store } from '../ports/store.ts'
import { createInvites } from './invites.ts'
import { createFindOrCreateBy } from './provided.ts'
import { createRegister, type RegistrationMode } from './registration.ts'
import { createRegistry } from './registry.ts'
import { users } from './rows.ts'
import { createSignIn } from './sign-in.ts'
import { createChangeStanding } from './standing.ts'
import { createUsers, listedUser } from './users.ts'

type Needs = {
  store: Store
  entropy: Entropy
  passwords: Passwords
  clock: Clock
  ids: Ids
  mode: () => AuthMode
  registrationMode: () => RegistrationMode
  countAttempt: CountAttempt
  endSessions: EndSessions
  canSignIn: (userId: string) => Promise<boolean>
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

export type Accounts = ReturnType<typeof createAccounts>

/** Accounts of people: how one comes to have one, what it may do, and what its owner says of himself. */
export const createAccounts = (needs: Needs) => {
  const registry = createRegistry(needs)
  const people = createUsers(needs)
  const invites = createInvites({ ...needs, standingOf: people.standingOf })
  const register = createRegister({ ...needs, registry, invites })
  const changeStanding = createChangeStanding(needs)
  const { endSessions, audit } = needs

  /**
   * Changes the role of an account or disables it; a disabled one is signed out everywhere, and stays so when it is
   * enabled again. Throws Problem `invalid` `last_admin`, `missing` for an account that is not there.
   */
  const changeUser = async (
    principal: Principal,
    userId: string,
    wanted: { role?: 'user' | 'admin' | undefined; disabled?: boolean | undefined },
  ) => {
    // Those that a login began while it was being disabled do not come back either.
    const signOut = () => endSessions(userId, { devices: { by: principal } })
    if ((await needs.store.get(users, userId))?.disabled) await signOut()
    const row = await changeStanding(userId, wanted)
    if (row.disabled) await signOut()
    await audit(principal, 'user.change', { userId, ...wanted })
    return listedUser(row)
  }

  return {
    ...createSignIn({ ...needs, registry, register }),
    ...people,
    findOrCreateBy: createFindOrCreateBy({ ...needs, registry, register }),
    invites,
    changeUser,
  }
}
