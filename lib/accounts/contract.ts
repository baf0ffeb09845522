import * as z from 'zod'
import { AuthModeSchema, RoleSchema } from '../auth/schema.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { PROVIDERS, ProviderStandingSchema } from '../oauth/schema.ts'
import { EmailSchema, GivenPassword, NameSchema, NewPassword } from './fields.ts'

import { InviteSchema, ProfilePatch, UserSchema } from './schema.ts'

const message = z.string()
const ListedUser = UserSchema.extend({ disabled: z.boolean() })
const Me = UserSchema.extend({ connectedAccounts: z.array(z.string()), hasCodeHostToken: z.boolean() })
/** Absent where the settings of the providers cannot be read. */
const providers = z.array(ProviderStandingSchema).optional()
const ProvidersSchema = z
  .array(z.enum(PROVIDERS))
  .min(1)
  .max(PROVIDERS.length)
  .refine((names) => new Set(names).size === names.length, 'names a provider twice')
/**
 * Fields that callers expect in a profile. If they were dropped like other unknown keys, a leaked password would seem to
 * be changed.
 */
const ELSEWHERE = {
  password: z.never('is changed at POST /api/auth/password').optional(),
  email: z.never('cannot be changed; POST /api/auth/password changes the password').optional(),
}
const IdParams = z.object({ id: z.string().min(1).max(200) })

export const accountRoutes = defineRoutes({
  signup: {
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Make an account with a password, and sign in',
    access: 'public',
    limited: true,
    body: z.object({
      email: EmailSchema,
      password: NewPassword,
      name: NameSchema,
      /** Forms send an empty text for no code. */
      inviteCode: z.string().trim().max(200).optional(),
    }),
    response: z.object({ user: UserSchema, message }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with a password',
    access: 'public',
    limited: true,
    body: z.object({ email: z.string().trim().min(1).max(255), password: GivenPassword }),
    response: z.object({ user: UserSchema, message }),
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who is signed in, and how one signs in here',
    access: 'any',
    response: z.union([
      z.object({ authenticated: z.literal(true), authMode: AuthModeSchema, user: Me, providers }),
      z.object({
        authenticated: z.literal(false),
        authMode: AuthModeSchema,
        accessKeyRequired: z.literal(true).optional(),
        providers,
      }),
    ]),
    alsoStatus: 401,
  },
  changeMe: {
    method: 'PATCH',
    path: '/api/auth/me',
    summary: 'Change your own profile; null takes a field away',
    access: 'session',
    body: ProfilePatch.extend(ELSEWHERE),
    response: z.object({ user: Me, message }),
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your own password, which ends your other sessions and those of your devices',
    access: 'session',
    limited: true,
    body: z.object({ currentPassword: GivenPassword, newPassword: NewPassword }),
    response: z.object({ message }),
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/reset',
    summary: 'Set another password with the code that an admin gave, and sign in; all other sessions end',
    access: 'public',
    limited: true,
    body: z.object({
      email: z.string().trim().min(1).max(255),
      code: z.string().trim().min(1).max(200),
      newPassword: NewPassword,
    }),
    response: z.object({ user: UserSchema, message }),
  },
  createInvite: {
    method: 'POST',
    path: '/api/auth/invites',
    summary: 'Invite a person to register; the code is shown once',
    access: 'admin',
    body: z.object({ email: EmailSchema.optional(), expiresInDays: z.int().min(1).max(365).default(7) }),
    status: 201,
    response: z.object({ invite: InviteSchema.extend({ code: z.string() }) }),
  },
  listInvites: {
    method: 'GET',
    path: '/api/auth/invites',
    summary: 'List invites, newest first',
    access: 'admin',
    query: PageQuery,
    response: z.object({ invites: z.array(InviteSchema), ...pageAnswer }),
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/auth/invites/{id}',
    summary: 'Take an invite back',
    access: 'admin',
    params: IdParams,
    response: z.object({ message }),
  },
})

export const userRoutes = defineRoutes({
  listUsers: {
    method: 'GET',
    path: '/api/users',
    summary: 'List accounts, newest first',
    access: 'admin',
    query: PageQuery,
    response: z.object({ users: z.array(ListedUser), ...pageAnswer }),
  },
  changeUser: {
    method: 'PATCH',
    path: '/api/users/{id}',
    summary:
      'Change the role of an account, disable it, which ends its sessions, or unlink its accounts elsewhere',
    access: 'admin',
    params: IdParams,
    body: z
      .object({
        role: RoleSchema.optional(),
        disabled: z.boolean().optional(),
        /** The providers whose account is removed: a verified address, or linking, adds it again. */
        unlink: ProvidersSchema.optional(),
      })
      .refine(
        (wanted) => Object.values(wanted).some((value) => value !== undefined),
        'has nothing to change: role, disabled or unlink',
      ),
    response: z.object({ user: ListedUser, message }),
  },
  createResetCode: {
    method: 'POST',
    path: '/api/users/{id}/reset-code',
    summary: 'Make a code with which the owner of an account sets another password, once and within an hour',
    access: 'admin',
    params: IdParams,
    status: 201,
    response: z.object({ code: z.string(), expiresAt: z.string() }),
  },
})
