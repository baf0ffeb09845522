import * as z from 'zod'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { ScopeSchema, TokenSchema } from './schema.ts'

export const CreateTokenBody = z.object({
  name: shownText(100),
  scopes: z.array(ScopeSchema).min(1).max(10),
  expiresInDays: z.int().min(1).max(3_650).optional(),
  /** Gateway requests per minute; GATEWAY_RATE_LIMIT_RPM when absent. Only admins may give more than that. */
  rateLimit: z.int().min(1).max(1_000_000).optional(),
})
export type CreateToken = z.output<typeof CreateTokenBody>

export const tokenRoutes = defineRoutes({
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an API token; its text is shown this once',
    access: 'session',
    body: CreateTokenBody,
    status: 201,
    response: TokenSchema.omit({ lastUsedAt: true }).extend({ token: z.string() }),
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'List your API tokens, newest first; admins see those of all users',
    access: 'session',
    query: PageQuery,
    response: z.object({ tokens: z.array(TokenSchema), ...pageAnswer }),
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revoke an API token, at once and for good',
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: z.object({ message: z.string() }),
  },
})
