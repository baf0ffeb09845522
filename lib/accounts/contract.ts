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
const code = z.string().meta({ description: 'Shown only once', examples: ['K7QX-2M9P'] })
const ListedUser = UserSchema.extend({ disabled: z.boolean() })
const Me = UserSchema.extend({ connectedAccounts: z.array(z.string()), hasCodeHostToken: z.boolean() })
const providers = z
  .array(ProviderStatusSchema)
  .optional()
  .describe('Absent where their settings cannot be read')
const ProvidersSchema = z
  .array(z.enum(PROVIDERS))
  .min(1)
  .max(PROVIDERS.length)
  .refine((names) => new Set(names).size === names.length, 'names a provider twice')
/** Refused by name: if they were dropped like unknown keys, a leaked password would seem to be changed. */
const ELSEWHERE = {
  password: z.never('is changed at POST /api/auth/password').optional(),
  email: z.never('cannot be changed; POST /api/auth/password changes the password').optional(),
}

export const accountRoutes = defineRoutes({
  signup: {
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Create an account with a password and sign in',
    about: 'In cloud mode. The first account is admin and needs no invite. Answers a session cookie.',
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
        .describe('Required when registration needs an invite; empty means none'),
    }),
    response: z.object({ user: UserSchema, message }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with a password',
    about: 'In cloud mode. Answers a session cookie. An unknown email and a wrong password both answer 401.',
    access: 'public',
    limited: true,
    body: z.object({ email: GivenEmail, password: GivenPassword }),
    response: z.object({ user: UserSchema, message }),
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Read who is signed in, and the ways to sign in',
    about:
      'Answers 401 with the mode of sign-in where there is no session. Both say which providers are configured.',
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
          .describe('No account exists yet: the first one needs no invite and becomes the admin'),
        providers,
      }),
    ]),
    alsoStatus: 401,
  },
  changeMe: {
    method: 'PATCH',
    path: '/api/auth/me',
    summary: 'Change your own profile; null clears a field',
    about: 'Fields that are not sent stay unchanged.',
    access: 'session',
    body: ProfilePatch.extend(ELSEWHERE).meta({ examples: [{ timezone: 'Europe/Vienna', locale: 'en-GB' }] }),
    response: z.object({ user: Me, message }),
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your own password; revokes your other sessions and those of your devices',
    about: 'In cloud mode. API tokens stay. A wrong current password is 401.',
    access: 'session',
    limited: true,
    body: z.object({ currentPassword: GivenPassword, newPassword: NewPassword }),
    response: z.object({ message }),
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/reset',
    summary: 'Reset a password with the code from an admin, and sign in; revokes all other sessions',
    about: 'In cloud mode. The code works once, within an hour. Answers a session cookie.',
    access: 'public',
    limited: true,
    body: z.object({
      email: GivenEmail,
      code: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ description: 'Of an admin', examples: ['K7QX-2M9P'] }),
      newPassword: NewPassword,
    }),
    response: z.object({ user: UserSchema, message }),
  },
  createInvite: {
    method: 'POST',
    path: '/api/auth/invites',
    summary: 'Create an invite; its code is shown once',
    about: 'With an email, only that address can use the invite.',
    access: 'admin',
    body: z.object({ email: EmailSchema.optional(), expiresInDays: z.int().min(1).max(365).default(7) }),
    status: 201,
    response: z.object({ invite: InviteSchema.extend({ code }) }),
  },
  listInvites: {
    method: 'GET',
    path: '/api/auth/invites',
    summary: 'List invites, newest first',
    about: 'Their codes are not shown.',
    access: 'admin',
    query: PageQuery,
    response: z.object({ invites: z.array(InviteSchema), ...pageAnswer }),
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/auth/invites/{id}',
    summary: 'Delete an invite',
    about: 'Its code is no longer accepted.',
    access: 'admin',
    params: idParams('inv'),
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
      'Change the role of an account, disable it and revoke its sessions, or unlink its accounts at providers',
    about: 'The last admin keeps the role.',
    access: 'admin',
    params: idParams('user'),
    body: z
      .object({
        role: RoleSchema.optional().meta({ examples: ['admin'] }),
        disabled: z.boolean().optional(),
        unlink: ProvidersSchema.optional().describe(
          'Accounts at providers to unlink; signing in with the same verified address, or linking, adds them again',
        ),
      })
      .refine(
        (wanted) => Object.values(wanted).some((value) => value !== undefined),
        'must change role, disabled or unlink',
      ),
    response: z.object({ user: ListedUser, message }),
  },
  createResetCode: {
    method: 'POST',
    path: '/api/users/{id}/reset-code',
    summary:
      'Create a reset code, with which the owner of an account sets a new password once, within an hour',
    about: 'Send the code to the owner of the account.',
    access: 'admin',
    params: idParams('user'),
    status: 201,
    response: z.object({ code, expiresAt: z.string() }),
  },
})
