import { collection } from '../core/collection.ts'
import { type Token, TokenSchema } from './schema.ts'

/** An API token: all but its text, of which only the SHA-256 is kept. A revoked one is gone. */
export type TokenRow = Token & { hash: string }

export const tokenRows = collection<TokenRow>({
  name: 'tokens',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, ofUser: { within: 'userId', by: 'createdAt' } },
  summary: TokenSchema.keyof().options,
})
