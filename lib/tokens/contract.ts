import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { ScopeSchema, TokenSchema } from './schema.ts'

export const CreateTokenBody = z.object({
  name: shownText(100).meta({ examples: ['Build server'] }),
  scopes: z.array(ScopeSchema).min(1).max(10),
  expiresInDays: z.int().min(1).max(3_650).optional(),
  rateLimit: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Gateway requests a minute; more than the default, GATEWAY_RATE_LIMIT_RPM, only by admins'),
})
export type CreateToken = z.output<typeof CreateTokenBody>

export const tokenRoutes = defineRoutes({
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Create an API token; it is shown only once',
    about:
      'For programs: `gateway` creates tasks, `webhooks` manages outbound webhooks, `runner` runs tasks. The token is stored hashed.',
    access: 'session',
    body: CreateTokenBody,
    status: 201,
    response: TokenSchema.omit({ lastUsedAt: true }).extend({
      token: z.string().describe('Shown only once'),
    }),
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'List your API tokens, newest first; admins see those of all users',
    about: 'The tokens themselves are not shown.',
    access: 'session',
    query: PageQuery,
    response: z.object({ tokens: z.array(TokenSchema), ...pageAnswer }),
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revoke an API token',
    access: 'session',
    params: idParams('tok'),
    response: z.object({ message: z.string() }),
  },
})
