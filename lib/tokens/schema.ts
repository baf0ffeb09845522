import * as z from 'zod'
import { SCOPES } from '../http/route.ts'

export const ScopeSchema = z.enum(SCOPES)

/** An API token as it is shown after its creation: `userId` made it and answers for what it does. */
export const TokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  scopes: z.array(ScopeSchema),
  /** Gateway requests per minute, where the token has a limit of its own. */
  rateLimit: z.number().optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  /** To within a minute. */
  lastUsedAt: z.iso.datetime().optional(),
})
export type Token = z.output<typeof TokenSchema>
