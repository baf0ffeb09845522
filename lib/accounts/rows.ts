import type * as z from 'zod'
import type { RoleSchema } from '../auth/schema.ts'
import { collection, countRows } from '../core/collection.ts'
import { InviteSchema, type ProfilePatch, type User, UserSchema } from './schema.ts'

type Role = z.output<typeof RoleSchema>
type Profile = { [Field in keyof ProfilePatch]?: NonNullable<ProfilePatch[Field]> }

/** Who holds an e-mail address: its insert decides that an account comes to be. It has all that the account begins with. */
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
  /** The SHA-256 of a code that sets another password once, until `resetUntil` (epoch milliseconds). */
  resetHash?: string
  resetUntil?: number
  createdAt: string
}
export const registrations = collection<Registration>({ name: 'registrations', key: 'email', indexes: {} })

/** How many accounts there are; the local admin's, which is in no list, does not count. */
export const USER_COUNTERS = { counter: 'users', member: 'all' } as const

/** An account. The local admin's has no `createdAt`, so it is in no list. */
export type UserRow = Profile & {
  id: string
  email: string
  name: string
  role: Role
  disabled: boolean
  createdAt?: string
  /** Only in rows of earlier releases; means nothing any more. */
  standing?: number
}
export const users = collection<UserRow>({
  name: 'users',
  key: 'id',
  indexes: { newest: { by: 'createdAt' } },
  summary: UserSchema.keyof().options,
  counts: countRows(({ createdAt }: UserRow) => (createdAt === undefined ? [] : [USER_COUNTERS])),
  recount: { index: 'newest', counter: USER_COUNTERS.counter },
})

/**
 * The admins who may come in. The row is part of every commit that changes who they are, on condition of its `version`: so
 * two changes at once cannot both take away the last one. Its insert decides who the first account is.
 */
export type Roster = {
  id: string
  version: number
  admins: readonly string[]
  /** The first account, in a row of an earlier release that died before it had stored the account. */
  founder?: Registration
}
export const ROSTER_ID = 'admins'
export const rosters = collection<Roster>({ name: 'rosters', key: 'id', indexes: {} })

export const INVITE_COUNTERS = { counter: 'invites', member: 'all' } as const

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
  /** The account that was made with it. */
  usedBy?: string
  /** Epoch milliseconds; it is listed for some time after it expired. */
  keptUntil: number
}
export const invites = collection<InviteRow>({
  name: 'invites',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, ofEmail: { within: 'email', by: 'createdAt' } },
  summary: InviteSchema.keyof().options,
  expires: 'keptUntil',
  counts: countRows(() => [INVITE_COUNTERS]),
  recount: { index: 'newest', counter: INVITE_COUNTERS.counter },
})

/** The row that an account begins with. */
export const userRowOf = (registration: Registration): UserRow => ({
  id: registration.userId,
  email: registration.shownEmail,
  name: registration.name,
  ...(registration.avatarUrl === undefined ? {} : { avatarUrl: registration.avatarUrl }),
  role: registration.role,
  disabled: false,
  createdAt: registration.createdAt,
})

/** As its owner and the admins see it. */
export const shownUser = ({ disabled: _disabled, standing: _standing, ...row }: UserRow): User => ({
  ...row,
  onboardingCompleted: row.onboardingCompleted ?? false,
})
