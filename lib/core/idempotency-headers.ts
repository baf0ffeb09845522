import * as z from 'zod'

/** The header of a request that may be sent twice. A replayed answer has `Idempotent-Replayed: true`. */
export const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe('The same key and body within 24 hours answer the first result again'),
})
