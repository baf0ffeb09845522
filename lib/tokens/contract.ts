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
    .describe('Gateway requests per minute; `GATEWAY_RATE_LIMIT_RPM` by default. Only admins can set more'),
})
export type CreateToken = z.output<typeof CreateTokenBody>

export const tokenRoutes = defineRoutes({
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Create an API token',
    about:
      'The token is shown only once and stored as a hash. Scopes: `gateway` creates tasks, `webhooks` manages outbound webhooks, `runner` runs tasks.',
    access: 'session',
    body: CreateTokenBody,
    status: 201,
    response: TokenSchema.omit({ lastUsedAt: true }).extend({
      token: z.string().describe('API token; shown only once'),
    }),
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'List API tokens',
    about:
      'Returns your API tokens, newest first; admins see those of all users. Token values are not included.',
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
