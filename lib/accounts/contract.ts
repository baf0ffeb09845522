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
const code = z.string().meta({ description: 'Shown this once', examples: ['K7QX-2M9P'] })
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
    summary: 'Create an account with a password, and sign in',
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
        .describe('Where registration needs an invite. Forms send an empty text for none'),
    }),
    response: z.object({ user: UserSchema, message }),
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with a password',
    about:
      'In cloud mode. Answers a session cookie. An unknown e-mail and a wrong password are the same 401.',
    access: 'public',
    limited: true,
    body: z.object({ email: GivenEmail, password: GivenPassword }),
    response: z.object({ user: UserSchema, message }),
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who is signed in, and how to sign in here',
    about:
      'Answers 401 with the mode of sign-in where there is no session. Both say which providers are configured.',
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
    about: 'What is left out stays as it is.',
    access: 'session',
    body: ProfilePatch.extend(ELSEWHERE).meta({ examples: [{ timezone: 'Europe/Vienna', locale: 'en-GB' }] }),
    response: z.object({ user: Me, message }),
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your own password, which ends your other sessions and those of your devices',
    about: 'In cloud mode. API tokens stay. A wrong current password is 401.',
    access: 'session',
    limited: true,
    body: z.object({ currentPassword: GivenPassword, newPassword: NewPassword }),
    response: z.object({ message }),
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/reset',
    summary: 'Set another password with the code that an admin gave, and sign in; all other sessions end',
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
    summary: 'Invite a person to register; the code is shown once',
    about: 'With an e-mail the invite is for that address alone.',
    access: 'admin',
    body: z.object({ email: EmailSchema.optional(), expiresInDays: z.int().min(1).max(365).default(7) }),
    status: 201,
    response: z.object({ invite: InviteSchema.extend({ code }) }),
  },
  listInvites: {
    method: 'GET',
    path: '/api/auth/invites',
    summary: 'List invites, newest first',
    about: 'Their codes are not shown again.',
    access: 'admin',
    query: PageQuery,
    response: z.object({ invites: z.array(InviteSchema), ...pageAnswer }),
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/auth/invites/{id}',
    summary: 'Take an invite back',
    about: 'Its code is refused from then on.',
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
      'Change the role of an account, disable it, which ends its sessions, or unlink its accounts elsewhere',
    about: 'The last admin keeps the role.',
    access: 'admin',
    params: idParams('user'),
    body: z
      .object({
        role: RoleSchema.optional().meta({ examples: ['admin'] }),
        disabled: z.boolean().optional(),
        unlink: ProvidersSchema.optional().describe(
          'Accounts elsewhere to remove; a verified address, or linking, adds them again',
        ),
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
    summary:
      'Create a code with which the owner of an account sets another password, once and within an hour',
    about: 'Hand the code to the owner of the account.',
    access: 'admin',
    params: idParams('user'),
    status: 201,
    response: z.object({ code, expiresAt: z.string() }),
  },
})
