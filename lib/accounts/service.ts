import { definedFields } from '../core/defined-fields.ts'
import type { Principal } from '../core/principal.ts'
import type { ProviderName, Unlink } from '../oauth/schema.ts'
import { createChangeAccountStatus, createRefuseUnlinking } from './account-status.ts'
import { createFindOrCreateUser } from './find-or-create-user.ts'
import { createInvites } from './invites.ts'
import { createPasswordChanges } from './password.ts'
import { createRegister } from './registration.ts'
import { users } from './rows.ts'
import { createSignIn } from './sign-in.ts'
import { createUsers, toListedUser } from './users.ts'

type Needs = Omit<
  Parameters<typeof createSignIn>[0] &
    Parameters<typeof createPasswordChanges>[0] &
    Parameters<typeof createInvites>[0] &
    Parameters<typeof createRegister>[0] &
    Parameters<typeof createChangeAccountStatus>[0],
  'register' | 'invites' | 'readAccountStatus'
> & { unlink: Unlink }

type Change = {
  role?: 'user' | 'admin' | undefined
  disabled?: boolean | undefined
  unlink?: readonly ProviderName[] | undefined
}

export type Accounts = ReturnType<typeof createAccounts>

/** Accounts of people: registration, rights, and profile. */
export const createAccounts = (needs: Needs) => {
  const people = createUsers(needs)
  const invites = createInvites({ ...needs, readAccountStatus: people.readAccountStatus })
  const register = createRegister({ ...needs, invites })
  const changeAccountStatus = createChangeAccountStatus(needs)
  const refuseUnlinking = createRefuseUnlinking(needs)
  const { endSessions, audit } = needs

  const unlink = async (principal: Principal, userId: string, providers: readonly ProviderName[]) => {
    for (const { provider, username } of await needs.unlink(userId, providers))
      await audit(principal, 'account.unlink', { userId, provider, ...definedFields({ username }) })
  }

  /**
   * Changes the role of an account or disables it. A disabled user is signed out everywhere, and stays signed out when
   * enabled again. Removes the linked accounts at the providers of `unlink`. Throws Problem `invalid` `last_admin`, and
   * `missing` for an account that does not exist.
   */
  const changeUser = async (
    principal: Principal,
    userId: string,
    { unlink: providers = [], ...wanted }: Change,
  ) => {
    await refuseUnlinking(userId, providers)
    // Also ends sessions of logins that ran while the account was being disabled.
    const signOut = () => endSessions(userId, { devices: { by: principal } })
    if ((await needs.store.get(users, userId))?.disabled) await signOut()
    const row = await changeAccountStatus(userId, wanted)
    if (row.disabled) await signOut()
    if (Object.keys(wanted).length > 0) await audit(principal, 'user.change', { userId, ...wanted })
    await unlink(principal, userId, providers)
    return toListedUser(row)
  }

  return {
    ...createSignIn({ ...needs, register }),
    ...createPasswordChanges(needs),
    ...people,
    findOrCreateUser: createFindOrCreateUser({ ...needs, register }),
    invites,
    changeUser,
  }
}
