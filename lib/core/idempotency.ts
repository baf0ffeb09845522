import { hash } from 'node:crypto'
import { invalid } from './errors.ts'
import type { Principal } from './principal.ts'

/** How long a key answers its first request again, in milliseconds. */
export const REPLAY_MS = 24 * 3_600_000

/**
 * A header `Idempotency-Key` as the key of its record. Two callers may choose the same text, and two programs are two
 * callers, though one person made the tokens of both.
 */
export const replayKey = ({ userId, tokenId = userId }: Principal, key: string): string => `${tokenId}:${key}`

/** What distinguishes the body of one request from that of another under the same key. */
export const fingerprintOf = (body: unknown): string => hash('sha256', JSON.stringify(body))

/** Refuses a key that stands for another body. Throws Problem `invalid`. */
export const refuseReuse = (stored: string, given: string): void => {
  if (stored === given) return
  const message = 'was already used with another body'
  throw invalid([{ path: 'idempotency-key', message }], 'idempotency_key_reused')
}
