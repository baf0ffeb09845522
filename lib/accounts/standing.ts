import { createContention } from '../core/contention.ts'
import { missing, Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { ROSTER_ID, type Roster, rosters, type StandingChange, type UserRow, users } from './rows.ts'
import { type CanSignIn, lastAdmin } from './unlinking.ts'

const BUSY_MS = 1_000

type Needs = {
  store: Store
  clock: Clock
  entropy: Entropy
  canSignIn: CanSignIn
}

type Wanted = { role?: UserRow['role'] | undefined; disabled?: boolean | undefined }

export type ChangeStanding = (userId: string, wanted: Wanted) => Promise<UserRow>

/**
 * Changes what a user may do. Two admins who take each other's role away at once must not both succeed, and no
 * condition spans two rows: so the roster decides. It knows who is an admin, is written on condition of its version,
 * and carries its last change, which the next one completes first. The user's row follows, in that order: a change
 * applies only to the row that it was made from, so what comes late changes nothing.
 *
 * Throws Problem `invalid` `last_admin` when nobody would be left who can sign in, `missing` for a user who is not
 * there, `unavailable` `users_busy` when others never stop changing users in between.
 */
export const createChangeStanding = ({ store, clock, entropy, canSignIn }: Needs): ChangeStanding => {
  const contend = createContention({ timer: clock, entropy })

  const follow = ({ userId, role, disabled, from, to }: StandingChange) => ({
    update: users,
    key: userId,
    when: { standing: from },
    set: { role, disabled, standing: to },
  })

  /** The roster with its last change completed. */
  const readRoster = async () => {
    const roster = await store.get(rosters, ROSTER_ID)
    if (roster?.last) await store.commit<UserRow>(follow(roster.last))
    return roster
  }

  /** Throws Problem `invalid` `last_admin` when none of those who are left could sign in, and the one who goes could. */
  const refuseLast = async (userId: string, left: readonly string[]) => {
    if (left.length > 0 && !(await canSignIn(userId))) return
    for (const id of left) if (await canSignIn(id)) return
    throw lastAdmin()
  }

  const adminsAfter = async (
    { admins }: Roster,
    { id, role, disabled }: Pick<UserRow, 'id' | 'role' | 'disabled'>,
  ) => {
    const others = admins.filter((each) => each !== id)
    if (role === 'admin' && !disabled) return [...others, id]
    if (others.length < admins.length) await refuseLast(id, others)
    return others
  }

  const attempt = async (userId: string, wanted: Wanted): Promise<UserRow | undefined> => {
    const roster = await readRoster()
    const user = await store.get(users, userId)
    if (roster === undefined || user?.createdAt === undefined) throw missing('User')
    const role = wanted.role ?? user.role
    const disabled = wanted.disabled ?? user.disabled
    if (role === user.role && disabled === user.disabled) return user
    const { version } = roster
    const admins = await adminsAfter(roster, { id: userId, role, disabled })
    const last: StandingChange = { userId, role, disabled, from: user.standing, to: version + 1 }
    const { applied } = await store.commit<Roster>(
      { update: rosters, key: ROSTER_ID, when: { version }, set: { version: version + 1, admins, last } },
      [follow(last)],
    )
    return applied ? { ...user, role, disabled } : undefined
  }

  return async (userId, wanted) => {
    const changed = await contend(() => attempt(userId, wanted))
    if (changed === undefined) throw busy()
    return changed
  }
}

const busy = () =>
  new Problem('unavailable', 'users_busy', 'Others are changing users: try again', { retryAfterMs: BUSY_MS })
