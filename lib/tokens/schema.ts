import * as z from 'zod'
import { SCOPES } from '../http/route.ts'

export const ScopeSchema = z.enum(SCOPES)

/** An API token as lists show it: `userId` made it and is responsible for its use. */
export const TokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  scopes: z.array(ScopeSchema),
  rateLimit: z.number().optional().describe('Gateway requests per minute, if the token has its own limit'),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  runner: z.string().optional().describe('Runner that the token belongs to, for the scope `runner`'),
  lastUsedAt: z.iso.datetime().optional().describe('Last use, accurate to a minute'),
})
export type Token = z.output<typeof TokenSchema>
