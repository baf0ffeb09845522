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
    summary: 'End the session',
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
    summary: 'Set the access key of local mode, or remove it with null',
    about: 'The caller stays signed in; without a key the installation is open to its own machine.',
    access: 'admin',
    body: z.object({ key: AccessKeySchema.nullable().meta({ examples: ['correct horse battery staple'] }) }),
    response: z.object({ success: z.literal(true), hasAccessKey: z.boolean(), message: z.string() }),
  },
  listSessions: {
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List your sessions, newest first',
    about: 'Browsers and paired devices that are signed in as you.',
    access: 'session',
    query: PageQuery,
    response: z.object({ sessions: z.array(SessionSchema), ...pageAnswer }),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    summary: 'End one of your sessions, at once; its paired device is unpaired',
    about: 'The next request with that session is answered 401.',
    access: 'session',
    params: idParams('sess'),
    response: z.object({ message: z.string() }),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'End all of your sessions but this one, those of devices too',
    access: 'session',
    response: z.object({ message: z.string() }),
  },
})
