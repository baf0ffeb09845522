import * as z from 'zod'
import { AuthModeSchema, RoleSchema } from '../auth/schema.ts'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { PROVIDERS, ProviderStatusSchema } from '../oauth/schema.ts'
import { EmailSchema, GivenPassword, NameSchema, NewPassword } from './fields.ts'

import { InviteSchema, ProfilePatch, UserSchema } from './schema.ts'

const message = z.string()
const GivenEmail = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .meta({ examples: ['ann@example.org'] })
const code = z.string().meta({ description: 'Code; shown only once', examples: ['K7QX-2M9P'] })
const ListedUser = UserSchema.extend({ disabled: z.boolean() })
const Me = UserSchema.extend({ connectedAccounts: z.array(z.string()), hasCodeHostToken: z.boolean() })
const providers = z
  .array(ProviderStatusSchema)
  .optional()
  .describe('Sign-in providers; absent if the settings cannot be read')
const ProvidersSchema = z
  .array(z.enum(PROVIDERS))
  .min(1)
  .max(PROVIDERS.length)
  .refine((names) => new Set(names).size === names.length, 'must not repeat a provider')
/** Refused by name: if they were dropped like unknown keys, a leaked password would seem to be changed. */
const ELSEWHERE = {
  password: z.never('cannot be changed here. Use POST /api/auth/password').optional(),
  email: z.never('cannot be changed. To change the password, use POST /api/auth/password').optional(),
}

export const accountRoutes = defineRoutes({
  signup: {
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Sign up',
    about:
      'Cloud mode only. Creates an account with a password, and sets a session cookie. The first account becomes the admin and needs no invite.',
    access: 'public',
    limited: true,
    body: z.object({
      email: EmailSchema,
      password: NewPassword,
      name: NameSchema,
      inviteCode: z
        .string()
        .trim()
        .max(200)
        .optional()
        .describe('Invite code, if registration requires one; empty means none'),
    }),
    response: z.object({ user: UserSchema, message }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with a password',
    about: 'Cloud mode only. Sets a session cookie. Returns 401 for an unknown email or a wrong password.',
    access: 'public',
    limited: true,
    body: z.object({ email: GivenEmail, password: GivenPassword }),
    response: z.object({ user: UserSchema, message }),
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Get the current user',
    about:
      'Without a session, returns 401 with the authentication mode. Both responses list the sign-in providers.',
    access: 'any',
    response: z.union([
      z.object({ authenticated: z.literal(true), authMode: AuthModeSchema, user: Me, providers }),
      z.object({
        authenticated: z.literal(false),
        authMode: AuthModeSchema,
        accessKeyRequired: z.literal(true).optional(),
        noAccounts: z
          .literal(true)
          .optional()
          .describe('Set if no account exists yet; the first one needs no invite and becomes the admin'),
        providers,
      }),
    ]),
    alsoStatus: 401,
  },
  changeMe: {
    method: 'PATCH',
    path: '/api/auth/me',
    summary: 'Update your profile',
    about: 'Null clears a field, and omitted fields stay unchanged.',
    access: 'session',
    body: ProfilePatch.extend(ELSEWHERE).meta({ examples: [{ timezone: 'Europe/Vienna', locale: 'en-GB' }] }),
    response: z.object({ user: Me, message }),
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your password',
    about:
      'Cloud mode only. Revokes your other sessions, including those of devices, but not your API tokens. Returns 401 if the current password is wrong.',
    access: 'session',
    limited: true,
    body: z.object({ currentPassword: GivenPassword, newPassword: NewPassword }),
    response: z.object({ message }),
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/reset',
    summary: 'Reset a password',
    about:
      'Cloud mode only. Requires a reset code from an admin, valid once within an hour. Revokes all other sessions and sets a session cookie.',
    access: 'public',
    limited: true,
    body: z.object({
      email: GivenEmail,
      code: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ description: 'Reset code from an admin', examples: ['K7QX-2M9P'] }),
      newPassword: NewPassword,
    }),
    response: z.object({ user: UserSchema, message }),
  },
  createInvite: {
    method: 'POST',
    path: '/api/auth/invites',
    summary: 'Create an invite',
    about: 'The code is shown only once. With `email`, only that address can use the invite.',
    access: 'admin',
    body: z.object({ email: EmailSchema.optional(), expiresInDays: z.int().min(1).max(365).default(7) }),
    status: 201,
    response: z.object({ invite: InviteSchema.extend({ code }) }),
  },
  listInvites: {
    method: 'GET',
    path: '/api/auth/invites',
    summary: 'List invites',
    about: 'Newest first. Codes are not included.',
    access: 'admin',
    query: PageQuery,
    response: z.object({ invites: z.array(InviteSchema), ...pageAnswer }),
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/auth/invites/{id}',
    summary: 'Delete an invite',
    about: 'The code is no longer accepted.',
    access: 'admin',
    params: idParams('inv'),
    response: z.object({ message }),
  },
})

export const userRoutes = defineRoutes({
  listUsers: {
    method: 'GET',
    path: '/api/users',
    summary: 'List users',
    about: 'Newest first.',
    access: 'admin',
    query: PageQuery,
    response: z.object({ users: z.array(ListedUser), ...pageAnswer }),
  },
  changeUser: {
    method: 'PATCH',
    path: '/api/users/{id}',
    summary: 'Update a user',
    about:
      'Changes the role, disables the account and revokes its sessions, or unlinks accounts at providers. The last admin keeps the role.',
    access: 'admin',
    params: idParams('user'),
    body: z
      .object({
        role: RoleSchema.optional().meta({ examples: ['admin'] }),
        disabled: z.boolean().optional(),
        unlink: ProvidersSchema.optional().describe(
          'Provider accounts to unlink. Linking, or signing in with the same verified address, adds them again',
        ),
      })
      .refine(
        (wanted) => Object.values(wanted).some((value) => value !== undefined),
        'must have role, disabled or unlink',
      ),
    response: z.object({ user: ListedUser, message }),
  },
  createResetCode: {
    method: 'POST',
    path: '/api/users/{id}/reset-code',
    summary: 'Create a password reset code',
    about:
      'Send the code to the owner of the account, who can set a new password with it once within an hour.',
    access: 'admin',
    params: idParams('user'),
    status: 201,
    response: z.object({ code, expiresAt: z.string() }),
  },
})
