import { Problem } from '../core/errors.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Store } from '../ports/store.ts'
import { ROSTER_ID, rosters } from './rows.ts'

/** Whether the mode of sign-in lets that user in at all, once the accounts at those providers are unlinked. */
export type CanSignIn = (userId: string, unlinked?: readonly ProviderName[]) => Promise<boolean>

type Needs = { store: Store; canSignIn: CanSignIn }

/**
 * Throws Problem `invalid` `last_admin` when without accounts at those providers no admin could sign in any more, of whom
 * one can now. It looks before it is done: two admins who are unlinked at the same moment may both be the last.
 */
export const createRefuseUnlinking =
  ({ store, canSignIn }: Needs) =>
  async (userId: string, providers: readonly ProviderName[]): Promise<void> => {
    if ((await canSignIn(userId, providers)) || !(await canSignIn(userId))) return
    const admins = (await store.get(rosters, ROSTER_ID))?.admins ?? []
    if (!admins.includes(userId)) return
    for (const id of admins) if (id !== userId && (await canSignIn(id))) return
    throw lastAdmin()
  }

export const lastAdmin = () =>
  new Problem(
    'invalid',
    'last_admin',
    'This is the last admin who can sign in: make another user an admin first',
  )
