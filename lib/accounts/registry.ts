import type { Store } from '../ports/store.ts'
import {
  type Registration,
  ROSTER_ID,
  type Roster,
  registrations,
  rosters,
  type UserRow,
  userRowOf,
  users,
} from './rows.ts'

export type Registry = ReturnType<typeof createRegistry>

/**
 * Which accounts there are. An account is decided by one conditional write and completed by those that follow; each
 * verb finishes what a process that died in between has left.
 */
export const createRegistry = ({ store }: { store: Store }) => {
  // An installation never becomes unfounded, so this is asked of storage until it is so and no longer.
  let founded = false

  const add = async (registration: Registration) =>
    (
      await store.commit<Registration>({ insert: registrations, row: registration }, [
        { insert: users, row: userRowOf(registration) },
      ])
    ).applied

  /** The user's row, made once more where it was lost. */
  const userOf = async (registration: Registration): Promise<UserRow> => {
    const row = await store.get(users, registration.userId)
    if (row !== undefined) return row
    const made = await store.commit<UserRow>({ insert: users, row: userRowOf(registration) })
    return made.row ?? userRowOf(registration)
  }

  /** Completes the first account, of which the roster then knows no more. */
  const complete = async (founder: Registration): Promise<void> => {
    await add(founder)
    await userOf(founder)
    await store.commit<Roster>({ update: rosters, key: ROSTER_ID, unset: ['founder'] })
  }

  /** Whether there is a first account; what was left half made of it is complete after this. */
  const isFounded = async (): Promise<boolean> => {
    if (founded) return true
    const roster = await store.get(rosters, ROSTER_ID)
    if (roster === undefined) return false
    if (roster.founder) await complete(roster.founder)
    founded = true
    return true
  }

  /** Makes the first account. False when there is one by now. */
  const found = async (founder: Registration): Promise<boolean> => {
    const row: Roster = { id: ROSTER_ID, version: 0, admins: [founder.userId], founder }
    const { applied } = await store.commit<Roster>({ insert: rosters, row })
    if (applied) await complete(founder)
    founded ||= applied
    return applied
  }

  return {
    isFounded,
    found,
    /** Makes an account. False when its address has one. */
    add,
    userOf,
    /** The holder of an address, in the form that addresses are compared in. */
    holderOf: async (email: string): Promise<Registration | undefined> => {
      // The founder's registration may still be to come.
      await isFounded()
      return store.get(registrations, email)
    },
  }
}
