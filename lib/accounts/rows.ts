import type * as z from 'zod'
import type { RoleSchema } from '../auth/schema.ts'
import { collection, countRows } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { InviteSchema, type ProfilePatch, type User, UserSchema } from './schema.ts'

type Role = z.output<typeof RoleSchema>
type Profile = { [Field in keyof ProfilePatch]?: NonNullable<ProfilePatch[Field]> }

/** The owner of an email address, with all initial fields of the account: its insert decides that it is made. */
export type Registration = {
  /** In the form for comparisons. */
  email: string
  userId: string
  shownEmail: string
  /** Whether the address is verified: a provider checked it, or an admin sent an invite to it. */
  emailVerified: boolean
  name: string
  avatarUrl?: string
  role: Role
  /** A PHC string; absent for a person who signs in elsewhere only. */
  passwordHash?: string
  /** The SHA-256 of a code that sets a new password once, until `resetUntil` (epoch milliseconds). */
  resetHash?: string
  resetUntil?: number
  createdAt: string
}
export const registrations = collection<Registration>({ name: 'registrations', key: 'email', indexes: {} })

/** The number of accounts, without the local admin's, which is in no list. */
export const USER_COUNTER = 'users'

export type UserRow = Profile & {
  id: string
  email: string
  name: string
  role: Role
  disabled: boolean
  createdAt?: string
}
export const users = collection<UserRow>({
  name: 'users',
  key: 'id',
  indexes: { newest: { by: 'createdAt' } },
  summary: UserSchema.keyof().options,
  counts: countRows(({ createdAt }: UserRow) => (createdAt === undefined ? [] : [USER_COUNTER])),
  recount: { index: 'newest', counter: USER_COUNTER },
})

/**
 * The active admins. The row is part of every commit that changes them, on condition of its `version`: so two concurrent
 * changes cannot remove the last one. Its insert decides which account is the first.
 */
export type Roster = {
  id: string
  version: number
  admins: readonly string[]
}
export const ROSTER_ID = 'admins'
export const rosters = collection<Roster>({ name: 'rosters', key: 'id', indexes: {} })

export const INVITE_COUNTER = 'invites'

/** Allows one person to register; only the SHA-256 of its secret is stored. */
export type InviteRow = {
  id: string
  secretHash: string
  /** The only address that it is for, in the form for comparisons. */
  email?: string
  shownEmail?: string
  createdBy: string
  createdAt: string
  expiresAt: string
  usedAt?: string
  usedBy?: string
  /** Epoch milliseconds; the list shows it for some time after it expired. */
  keptUntil: number
}
export const invites = collection<InviteRow>({
  name: 'invites',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, ofEmail: { within: 'email', by: 'createdAt' } },
  summary: InviteSchema.keyof().options,
  expires: 'keptUntil',
  counts: countRows(() => [INVITE_COUNTER]),
  recount: { index: 'newest', counter: INVITE_COUNTER },
})

export const toUserRow = (registration: Registration): UserRow => ({
  id: registration.userId,
  email: registration.shownEmail,
  name: registration.name,
  ...definedFields({ avatarUrl: registration.avatarUrl }),
  role: registration.role,
  disabled: false,
  createdAt: registration.createdAt,
})

export const toUser = ({ disabled: _disabled, ...row }: UserRow): User => ({
  ...row,
  onboardingCompleted: row.onboardingCompleted ?? false,
})
