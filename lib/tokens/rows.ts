import { collection, countRows } from '../core/collection.ts'
import { type Token, TokenSchema } from './schema.ts'

/** An API token without its text, of which only the SHA-256 is stored. A revoked token has no row. */
export type TokenRow = Token & { hash: string }

export const TOKENS = 'tokens'
export const userTokenCounter = (userId: string): string => `${TOKENS}:${userId}`

export const tokenRows = collection<TokenRow>({
  name: 'tokens',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, ofUser: { within: 'userId', by: 'createdAt' } },
  summary: TokenSchema.keyof().options,
  counts: countRows(({ userId }: TokenRow) => [TOKENS, userTokenCounter(userId)]),
  recount: { index: 'newest', counter: TOKENS, ofUser: userTokenCounter },
})
