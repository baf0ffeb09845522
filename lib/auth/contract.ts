import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { secretFault } from '../core/secret-forms.ts'
import { boundedText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { SessionSchema } from './schema.ts'

const AccessKeySchema = z
  .string()
  .min(6)
  .max(1_024)
  .refine((key) => secretFault(key) === undefined, { error: ({ input }) => secretFault(String(input)) })

export const authRoutes = defineRoutes({
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out',
    access: 'any',
    response: z.object({ message: z.string() }),
  },
  verifyAccessKey: {
    method: 'POST',
    path: '/api/auth/verify-access-key',
    summary: 'Sign in with the access key, in local mode',
    about: 'Answers a session cookie. A wrong key is 401, and 400 where none is set. Ten tries a minute.',
    access: 'public',
    limited: true,
    body: z.object({ key: boundedText(1_024).meta({ examples: ['correct horse battery staple'] }) }),
    response: z.object({ success: z.literal(true), message: z.string() }),
  },
  changeAccessKey: {
    method: 'PUT',
    path: '/api/auth/access-key',
    summary: 'Set the access key in local mode; null removes it',
    about: 'You stay signed in. Without a key, anyone on the machine of the service is the admin.',
    access: 'admin',
    body: z.object({ key: AccessKeySchema.nullable().meta({ examples: ['correct horse battery staple'] }) }),
    response: z.object({ success: z.literal(true), hasAccessKey: z.boolean(), message: z.string() }),
  },
  listSessions: {
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List your sessions, newest first',
    about: 'Browsers and paired devices where you are signed in.',
    access: 'session',
    query: PageQuery,
    response: z.object({ sessions: z.array(SessionSchema), ...pageAnswer }),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    summary: 'Revoke one of your sessions; its paired device is unpaired',
    about: 'The next request with that session is answered 401.',
    access: 'session',
    params: idParams('sess'),
    response: z.object({ message: z.string() }),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'Revoke all your sessions except this one, including those of devices',
    access: 'session',
    response: z.object({ message: z.string() }),
  },
  createPhoneLink: {
    method: 'POST',
    path: '/api/auth/phone',
    summary: 'Create a link that signs a phone in as you',
    about:
      'Works once, within two minutes, while your session holds. The code is in the fragment of the link, which no server sees. Where there are accounts.',
    access: 'session',
    status: 201,
    response: z.object({
      id: z.string().meta({
        description: 'Identifies the link when its status is read. It is not the code, and cannot sign in',
      }),
      url: z
        .string()
        .meta({ description: 'Secret', examples: ['https://tasks.example.com/sign-in/phone#…'] }),
      qrSvg: z.string().describe('The same as a QR code'),
      expiresAt: z.string(),
    }),
  },
  getPhoneLink: {
    method: 'GET',
    path: '/api/auth/phone/{id}',
    summary: 'Read whether a phone has signed in with a link of yours',
    access: 'session',
    params: idParams('phone'),
    response: z.object({
      status: z.enum(['open', 'used', 'expired']),
      usedAt: z.string().optional(),
    }),
  },
  signInByPhone: {
    method: 'POST',
    path: '/api/auth/phone/sign-in',
    summary: 'Sign in with the code of a link',
    about:
      'Answers a session cookie. A code that was used, has expired or is wrong is the same 401. Ten tries a minute.',
    access: 'public',
    limited: true,
    body: z.object({ code: boundedText(200).meta({ examples: ['the-fragment-of-the-link'] }) }),
    response: z.object({ message: z.string() }),
  },
})
