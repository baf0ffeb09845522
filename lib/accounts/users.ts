import type { AuthMode } from '../auth/schema.ts'
import { readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { missing } from '../core/errors.ts'
import { countedPage, type PageQuery } from '../core/page.ts'
import { LOCAL_USER } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import { ROSTER_ID, registrations, rosters, toUser, USER_COUNTER, type UserRow, users } from './rows.ts'
import type { FindUser, ProfilePatch, ReadAccountStatus, User } from './schema.ts'

const LOCAL_ADMIN_ROW: UserRow = {
  id: LOCAL_USER,
  email: 'local@localhost',
  name: 'Local admin',
  role: 'admin',
  disabled: false,
}

type Needs = { store: Store; mode: () => AuthMode }

/** Reads accounts, and changes profiles. */
export const createUsers = ({ store, mode }: Needs) => {
  const findUser: FindUser = async (userId) => {
    const row = (await store.get(users, userId)) ?? (userId === LOCAL_USER ? LOCAL_ADMIN_ROW : undefined)
    return row && toUser(row)
  }

  const readAccountStatus: ReadAccountStatus = async (userId) => {
    if (mode() === 'local') return userId === LOCAL_USER ? { role: 'admin', disabled: false } : undefined
    const row = userId === LOCAL_USER ? undefined : await store.get(users, userId)
    return row && { role: row.role, disabled: row.disabled }
  }

  /** Whether an account exists that may sign in as an admin; once there is one, there always is one. */
  const hasAdmin = async (): Promise<boolean> => (await store.get(rosters, ROSTER_ID)) !== undefined

  /** The admins among the accounts, also while the mode of sign-in has none. */
  const rosterAdmins = async (): Promise<readonly string[]> =>
    (await store.get(rosters, ROSTER_ID))?.admins ?? []

  const adminIds = async (): Promise<readonly string[]> =>
    mode() === 'local' ? [LOCAL_USER] : rosterAdmins()

  const hasVerifiedEmail = async (userId: string): Promise<boolean> => {
    const user = await store.get(users, userId)
    const registration = user && (await store.get(registrations, emailKey(user.email)))
    return registration?.userId === userId && registration.emailVerified
  }

  /** Every account except the local admin's, newest first. */
  const list = async (query: PageQuery) => {
    const { rows, facts } = await countedPage(query, 'users', {
      page: (range) => store.page(users, { index: 'newest', order: 'desc', ...range }),
      count: () => readRowCount(store, USER_COUNTER),
    })
    return { users: rows.map(toListedUser), ...facts }
  }

  /** Changes a profile; null removes a field. */
  const change = async (userId: string, patch: ProfilePatch): Promise<User> => {
    // The local admin gets a row when there is something to store.
    if (userId === LOCAL_USER) await store.commit<UserRow>({ insert: users, row: LOCAL_ADMIN_ROW })
    const { row } = await store.commit<UserRow>({ update: users, key: userId, ...profileWrite(patch) })
    if (row === undefined) throw missing('User')
    return toUser(row)
  }

  return { findUser, readAccountStatus, hasAdmin, rosterAdmins, adminIds, hasVerifiedEmail, list, change }
}

export const toListedUser = (row: UserRow): User & { disabled: boolean } => ({
  ...toUser(row),
  disabled: row.disabled,
})

const profileWrite = (patch: ProfilePatch) => {
  const fields = Object.entries(definedFields(patch))
  const set = Object.fromEntries(fields.filter(([, value]) => value !== null)) as Partial<UserRow>
  const unset = fields.filter(([, value]) => value === null).map(([field]) => field as keyof ProfilePatch)
  return { ...(Object.keys(set).length > 0 ? { set } : {}), ...(unset.length > 0 ? { unset } : {}) }
}
