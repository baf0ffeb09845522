import type * as z from 'zod'
import type { RoleSchema } from '../auth/schema.ts'
import { collection } from '../core/collection.ts'
import { InviteSchema, type ProfilePatch, type User, UserSchema } from './schema.ts'

type Role = z.output<typeof RoleSchema>
type Profile = { [Field in keyof ProfilePatch]?: NonNullable<ProfilePatch[Field]> }

/**
 * Who holds an e-mail address. Its insert decides that an account comes to be, and it has all that the account begins
 * with: a user's row that was lost on the way is made from it when somebody next signs in.
 */
export type Registration = {
  /** In the form that addresses are compared in. */
  email: string
  userId: string
  shownEmail: string
  /** Whether the address is known to be this person's: a provider checked it, or an admin sent an invite to it. */
  emailVerified: boolean
  name: string
  avatarUrl?: string
  role: Role
  /** A PHC string; absent for who signs in elsewhere only. */
  passwordHash?: string
  createdAt: string
}
export const registrations = collection<Registration>({ name: 'registrations', key: 'email', indexes: {} })

/** An account. The local admin's has no `createdAt`, so it is in no list. */
export type UserRow = Profile & {
  id: string
  email: string
  name: string
  role: Role
  disabled: boolean
  /** The change of standing that `role` and `disabled` are from; see `standing.ts`. */
  standing: number
  createdAt?: string
}
export const users = collection<UserRow>({
  name: 'users',
  key: 'id',
  indexes: { newest: { by: 'createdAt' } },
  summary: UserSchema.keyof().options,
})

/** A change of what a user is, which holds once the roster has it, and follows in the user's row. */
export type StandingChange = { userId: string; role: Role; disabled: boolean; from: number; to: number }

/**
 * The admins who may come in, in one row, so that one conditional write decides that there is always one. Its insert
 * decides who the first account is; `founder` is that account until it is complete.
 */
export type Roster = {
  id: string
  version: number
  admins: readonly string[]
  founder?: Registration
  last?: StandingChange
}
export const ROSTER_ID = 'admins'
export const rosters = collection<Roster>({ name: 'rosters', key: 'id', indexes: {} })

/** Lets one person register; only the SHA-256 of its secret is stored. */
export type InviteRow = {
  id: string
  secretHash: string
  /** Whom alone it is for, in the form that addresses are compared in. */
  email?: string
  shownEmail?: string
  createdBy: string
  createdAt: string
  expiresAt: string
  usedAt?: string
  usedBy?: string
  /** The address that it was used for: who died on the way may go on with it. */
  usedFor?: string
  /** Epoch milliseconds; it is listed for some time after it expired. */
  keptUntil: number
}
export const invites = collection<InviteRow>({
  name: 'invites',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, ofEmail: { within: 'email', by: 'createdAt' } },
  summary: InviteSchema.keyof().options,
  expires: 'keptUntil',
})

/** The row that an account begins with. */
export const userRowOf = (registration: Registration): UserRow => ({
  id: registration.userId,
  email: registration.shownEmail,
  name: registration.name,
  ...(registration.avatarUrl === undefined ? {} : { avatarUrl: registration.avatarUrl }),
  role: registration.role,
  disabled: false,
  standing: 0,
  createdAt: registration.createdAt,
})

/** As its owner and the admins see it. */
export const shownUser = ({ disabled: _disabled, standing: _standing, ...row }: UserRow): User => ({
  ...row,
  onboardingCompleted: row.onboardingCompleted ?? false,
})
