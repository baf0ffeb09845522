import { busyError, createContention } from '../core/contention.ts'
import { missing, Problem } from '../core/errors.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store, Update } from '../ports/store.ts'
import { ROSTER_ID, type Roster, rosters, type UserRow, users } from './rows.ts'

type Needs = {
  store: Store
  clock: Clock
  entropy: Entropy
  canSignIn: CanSignIn
}

type Wanted = { role?: UserRow['role'] | undefined; disabled?: boolean | undefined }

type ChangeAccountStatus = (userId: string, wanted: Wanted) => Promise<UserRow>

/**
 * Changes the role of a user, or disables the user. A change of who is an active admin commits user and roster together,
 * on condition of the roster's version: two admins who remove each other's role at once do not both succeed.
 *
 * Throws Problem `invalid` `last_admin` when no user who can sign in would be left, `missing` for a user who does not
 * exist, and `unavailable` `users_busy` when other writers win every time.
 */
export const createChangeAccountStatus = (needs: Needs): ChangeAccountStatus => {
  const { store, canSignIn } = needs
  const contend = createContention(needs, busy)

  /** Throws Problem `invalid` `last_admin` when the removed admin can sign in and no remaining admin can. */
  const refuseLast = async (userId: string, left: readonly string[]) => {
    if (left.length > 0 && !(await canSignIn(userId))) return
    for (const id of left) if (await canSignIn(id)) return
    throw lastAdmin()
  }

  /** The change of the roster that a change of a user requires; none when the active admins stay the same. */
  const rosterWrites = async ({ version, admins }: Roster, user: UserRow): Promise<Update<Roster>[]> => {
    const others = admins.filter((each) => each !== user.id)
    const isAdmin = user.role === 'admin' && !user.disabled
    if (isAdmin === others.length < admins.length) return []
    if (!isAdmin) await refuseLast(user.id, others)
    const set = { version: version + 1, admins: isAdmin ? [...others, user.id] : others }
    return [{ update: rosters, key: ROSTER_ID, when: { version }, set }]
  }

  const attempt = async (userId: string, wanted: Wanted): Promise<UserRow | undefined> => {
    // The user is read first: while that row is unchanged, so is its entry in a roster that was read later.
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

  return (userId, wanted) => contend(() => attempt(userId, wanted))
}

const busy = () => busyError('users_busy', 'Someone else is changing users. Try again')

/** Whether a user can sign in in this mode, without the linked accounts at the providers `unlinked`. */
type CanSignIn = (userId: string, unlinked?: readonly ProviderName[]) => Promise<boolean>

type RefuseUnlinkingNeeds = { store: Store; canSignIn: CanSignIn }

/**
 * Throws Problem `invalid` `last_admin` when an admin can sign in now, and none could without accounts at these
 * providers. The check comes before the unlinking: two admins who are unlinked at the same moment may both be the last.
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
    'This is the last admin who can sign in. Make another user an admin first',
  )
