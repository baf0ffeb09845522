import { hash } from 'node:crypto'
import * as z from 'zod'
import { invalid } from './errors.ts'
import type { Principal } from './principal.ts'

/** How long a key replays the answer of its first request, in milliseconds. */
export const REPLAY_MS = 24 * 3_600_000

/** The key of an `Idempotency-Key`'s record, by its caller: two API tokens are two callers, even of one person. */
export const replayKey = ({ userId, tokenId = userId }: Principal, key: string): string => `${tokenId}:${key}`

/** A hash of a body: it tells requests of one key apart. */
export const fingerprint = (body: unknown): string => hash('sha256', JSON.stringify(body))

export const refuseReuse = (stored: string, sent: string): void => {
  if (stored === sent) return
  const message = 'was already used with a different body'
  throw invalid([{ path: 'idempotency-key', message }], 'idempotency_key_reused')
}

/** The header of a request that may be sent twice. A replayed answer has `Idempotent-Replayed: true`. */
export const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      'Unique key. Repeating a request with the same key and body within 24 hours returns the first response',
    ),
})
