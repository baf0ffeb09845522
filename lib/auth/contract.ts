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
    summary: 'Sign in with the access key',
    about:
      'Local mode only. Sets a session cookie. Returns 401 if the key is wrong, and 400 if no key is set. Ten attempts per minute.',
    access: 'public',
    limited: true,
    body: z.object({ key: boundedText(1_024).meta({ examples: ['correct horse battery staple'] }) }),
    response: z.object({ success: z.literal(true), message: z.string() }),
  },
  changeAccessKey: {
    method: 'PUT',
    path: '/api/auth/access-key',
    summary: 'Set the access key',
    about:
      'Local mode only. Null removes the key; then anyone on the machine of the service is the admin. You stay signed in.',
    access: 'admin',
    body: z.object({ key: AccessKeySchema.nullable().meta({ examples: ['correct horse battery staple'] }) }),
    response: z.object({ success: z.literal(true), hasAccessKey: z.boolean(), message: z.string() }),
  },
  listSessions: {
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List your sessions',
    about: 'Returns the browsers and paired devices where you are signed in, newest first.',
    access: 'session',
    query: PageQuery,
    response: z.object({ sessions: z.array(SessionSchema), ...pageAnswer }),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    summary: 'Revoke a session',
    about: 'The next request with that session returns 401. A paired device is unpaired.',
    access: 'session',
    params: idParams('sess'),
    response: z.object({ message: z.string() }),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'Revoke all other sessions',
    about: 'Revokes your sessions except this one, including those of devices.',
    access: 'session',
    response: z.object({ message: z.string() }),
  },
  createPhoneLink: {
    method: 'POST',
    path: '/api/auth/phone',
    summary: 'Create a phone sign-in link',
    about:
      'The link signs a phone in as you, once within two minutes, while your session is valid. The code is in the fragment of the link, which browsers do not send to servers. Requires accounts.',
    access: 'session',
    status: 201,
    response: z.object({
      id: z.string().meta({
        description: 'Id for reading the status. It is not the code and cannot sign in',
      }),
      url: z.string().meta({
        description: 'Link to open on the phone; keep it secret',
        examples: ['https://tasks.example.com/sign-in/phone#…'],
      }),
      qrSvg: z.string().describe('The link as a QR code (SVG)'),
      expiresAt: z.string(),
    }),
  },
  getPhoneLink: {
    method: 'GET',
    path: '/api/auth/phone/{id}',
    summary: 'Get the status of a phone sign-in link',
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
    summary: 'Sign in with a phone link',
    about:
      'Sets a session cookie. Returns 401 if the code is wrong, used or expired. Ten attempts per minute.',
    access: 'public',
    limited: true,
    body: z.object({ code: boundedText(200).meta({ examples: ['the-fragment-of-the-link'] }) }),
    response: z.object({ message: z.string() }),
  },
})
