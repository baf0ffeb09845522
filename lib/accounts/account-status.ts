import { createContention } from '../core/contention.ts'
import { missing, Problem } from '../core/errors.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store, Update } from '../ports/store.ts'
import { ROSTER_ID, type Roster, rosters, type UserRow, users } from './rows.ts'

const BUSY_MS = 1_000

type Needs = {
  store: Store
  clock: Clock
  entropy: Entropy
  canSignIn: CanSignIn
}

type Wanted = { role?: UserRow['role'] | undefined; disabled?: boolean | undefined }

type ChangeAccountStatus = (userId: string, wanted: Wanted) => Promise<UserRow>

/**
 * Changes what a user may do. Where that changes who is an admin that may come in, user and roster are one commit on
 * condition of the roster's version: two admins who take each other's role away at once do not both succeed.
 *
 * Throws Problem `invalid` `last_admin` when no user would be left who can sign in, `missing` for a user who is not
 * there, `unavailable` `users_busy` when others never stop changing users in between.
 */
export const createChangeAccountStatus = ({
  store,
  clock,
  entropy,
  canSignIn,
}: Needs): ChangeAccountStatus => {
  const contend = createContention({ timer: clock, entropy })

  /** Throws Problem `invalid` `last_admin` when none of those who are left could sign in, and the one who goes could. */
  const refuseLast = async (userId: string, left: readonly string[]) => {
    if (left.length > 0 && !(await canSignIn(userId))) return
    for (const id of left) if (await canSignIn(id)) return
    throw lastAdmin()
  }

  /** The change of the roster that goes with that of a user; none where the same admins may come in as before. */
  const rosterWrites = async ({ version, admins }: Roster, user: UserRow): Promise<Update<Roster>[]> => {
    const others = admins.filter((each) => each !== user.id)
    const isAdmin = user.role === 'admin' && !user.disabled
    if (isAdmin === others.length < admins.length) return []
    if (!isAdmin) await refuseLast(user.id, others)
    const set = { version: version + 1, admins: isAdmin ? [...others, user.id] : others }
    return [{ update: rosters, key: ROSTER_ID, when: { version }, set }]
  }

  const attempt = async (userId: string, wanted: Wanted): Promise<UserRow | undefined> => {
    // The user first: while that row is as it was read, so is its place in a roster that was read later.
    const user = await store.get(users, userId)
    const roster = await store.get(rosters, ROSTER_ID)
    if (roster === undefined || user?.createdAt === undefined) throw missing('User')
    const when = { role: user.role, disabled: user.disabled }
    const set = { role: wanted.role ?? user.role, disabled: wanted.disabled ?? user.disabled }
    if (set.role === user.role && set.disabled === user.disabled) return user
    const changed = { ...user, ...set }
    const { applied } = await store.commit<UserRow>(
      { update: users, key: userId, when, set },
      await rosterWrites(roster, changed),
    )
    return applied ? changed : undefined
  }

  return async (userId, wanted) => {
    const changed = await contend(() => attempt(userId, wanted))
    if (changed === undefined) throw busy()
    return changed
  }
}

const busy = () =>
  new Problem('unavailable', 'users_busy', 'Others are changing users: try again', { retryAfterMs: BUSY_MS })

/** Whether the mode of sign-in lets that user in at all, once the accounts at those providers are unlinked. */
export type CanSignIn = (userId: string, unlinked?: readonly ProviderName[]) => Promise<boolean>

type RefuseUnlinkingNeeds = { store: Store; canSignIn: CanSignIn }

/**
 * Throws Problem `invalid` `last_admin` when without accounts at those providers no admin could sign in any more, of whom
 * one can now. It looks before it is done: two admins who are unlinked at the same moment may both be the last.
 */
export const createRefuseUnlinking =
  ({ store, canSignIn }: RefuseUnlinkingNeeds) =>
  async (userId: string, providers: readonly ProviderName[]): Promise<void> => {
    if ((await canSignIn(userId, providers)) || !(await canSignIn(userId))) return
    const admins = (await store.get(rosters, ROSTER_ID))?.admins ?? []
    if (!admins.includes(userId)) return
    for (const id of admins) if (id !== userId && (await canSignIn(id))) return
    throw lastAdmin()
  }

const lastAdmin = () =>
  new Problem(
    'invalid',
    'last_admin',
    'This is the last admin who can sign in: make another user an admin first',
  )
