import * as z from 'zod'
import { type AccountStatus, RoleSchema } from '../auth/schema.ts'
import { TimezoneSchema } from '../core/timezone.ts'
import type { AnyWrite } from '../ports/store.ts'
import { AvatarUrlSchema, LocaleSchema, NameSchema } from './fields.ts'

export const UserSchema = z.object({
  id: z.string().meta({ examples: ['user_01KF0Q8Y3V5W7X9Z'] }),
  email: z.string().meta({ examples: ['ann@example.org'] }),
  name: z.string().meta({ examples: ['Ann'] }),
  role: RoleSchema,
  avatarUrl: z.string().optional(),
  bio: z.string().optional(),
  timezone: z.string().optional(),
  locale: z.string().optional(),
  onboardingCompleted: z.boolean(),
  createdAt: z.string().optional(),
})
export type User = z.output<typeof UserSchema>

/** The fields that people change of their own account; null removes a field. */
export const ProfilePatch = z.object({
  name: NameSchema.optional(),
  avatarUrl: AvatarUrlSchema.nullable().optional(),
  bio: z.string().max(500).nullable().optional(),
  timezone: TimezoneSchema.nullable().optional(),
  locale: LocaleSchema.nullable().optional(),
  onboardingCompleted: z.boolean().optional(),
})
export type ProfilePatch = z.output<typeof ProfilePatch>

/** An invite as admins see it; only the answer of its creation shows the code. */
export const InviteSchema = z.object({
  id: z.string(),
  email: z.string().optional().describe('The only address that can use the invite'),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  usedAt: z.string().optional(),
  usedBy: z.string().optional(),
})
export type Invite = z.output<typeof InviteSchema>

export type FindUser = (userId: string) => Promise<User | undefined>

/**
 * The status of an account, read from storage each time; undefined for a user who does not exist or does not belong to
 * the mode of sign-in. Sessions, API tokens and devices check it before they act for a user.
 */
export type ReadAccountStatus = (userId: string) => Promise<AccountStatus | undefined>

/** The person whom an OAuth or OpenID Connect provider authenticated, and whether it verified the address. */
export type FederatedIdentity = {
  email: string
  emailVerified: boolean
  name?: string
  avatarUrl?: string
  invite?: string
}

/**
 * The account of a person whom a provider authenticated and who has no linked account; made if the rules of registration
 * allow it. `linkWrite` then makes the write of the link, which is part of its commit. Throws Problem `forbidden`
 * (`email_not_verified`; `account_exists` for an address whose account has not proven it; `registration_closed`;
 * `invite_required`; `sign_in_refused` for a disabled account) or `invalid` (`invalid_invite`, `email_not_usable`).
 */
export type FindOrCreateUser = (
  person: FederatedIdentity,
  linkWrite?: (userId: string) => Promise<AnyWrite>,
) => Promise<{ user: User; isNew: boolean }>

type Connections = { connectedAccounts: string[]; hasCodeHostToken: boolean }
export type ReadConnections = (userId: string) => Promise<Connections>
