import * as z from 'zod'
import { type AccountStatus, RoleSchema } from '../auth/schema.ts'
import { TimezoneSchema } from '../core/timezone.ts'
import type { AnyWrite } from '../ports/store.ts'
import { AvatarUrlSchema, LocaleSchema, NameSchema } from './fields.ts'

/** An account as its owner and the admins see it. */
export const UserSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: RoleSchema,
  avatarUrl: z.string().optional(),
  bio: z.string().optional(),
  timezone: z.string().optional(),
  locale: z.string().optional(),
  onboardingCompleted: z.boolean(),
  createdAt: z.string().optional(),
})
export type User = z.output<typeof UserSchema>

/** What people change of their own account; null takes a field away. */
export const ProfilePatch = z.object({
  name: NameSchema.optional(),
  avatarUrl: AvatarUrlSchema.nullable().optional(),
  bio: z.string().max(500).nullable().optional(),
  timezone: TimezoneSchema.nullable().optional(),
  locale: LocaleSchema.nullable().optional(),
  onboardingCompleted: z.boolean().optional(),
})
export type ProfilePatch = z.output<typeof ProfilePatch>

/** An invite as admins see it; the code is shown once, when it is made. */
export const InviteSchema = z.object({
  id: z.string(),
  /** Whom alone it is for. */
  email: z.string().optional(),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  usedAt: z.string().optional(),
  usedBy: z.string().optional(),
})
export type Invite = z.output<typeof InviteSchema>

/** The account of that id; undefined for one that is not there. In local mode the local admin is one. */
export type UserOf = (userId: string) => Promise<User | undefined>

/**
 * The status of a user's account, read from storage each time; undefined for one who is not there or does not belong to the
 * mode of sign-in. Sessions, API tokens and devices, which act in a user's name, ask this first.
 */
export type AccountStatusOf = (userId: string) => Promise<AccountStatus | undefined>

/** Whom an OAuth or OpenID Connect provider says it is. `emailVerified` says that the provider checked the address. */
export type FederatedIdentity = {
  email: string
  emailVerified: boolean
  name?: string
  avatarUrl?: string
  /** An invite code that the person came with. */
  invite?: string
}

/**
 * The account of a person whom a provider vouches for and whom no linked account is known of, made if the rules of
 * registration allow it: then `linkOf` answers the write that links the account elsewhere, which is part of its commit. Throws Problem `forbidden` (`email_not_verified`; `account_exists` for an address whose
 * account has yet to prove it; `registration_closed`; `invite_required`; `sign_in_refused` for one that is disabled)
 * or `invalid` (`invalid_invite`, `email_not_usable`).
 */
export type FindOrCreateUser = (
  person: FederatedIdentity,
  linkOf?: (userId: string) => Promise<AnyWrite>,
) => Promise<{ user: User; isNew: boolean }>

/** What accounts elsewhere a user has linked. */
type Connections = { connectedAccounts: string[]; hasCodeHostToken: boolean }
export type ConnectionsOf = (userId: string) => Promise<Connections>
