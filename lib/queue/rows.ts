import { collection } from '../core/collection.ts'
import type { Tally } from '../ports/store.ts'
import { type DlqItem, DlqItemSchema } from './schema.ts'

export const deadLetters = collection<DlqItem>({
  name: 'deadLetters',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  summary: DlqItemSchema.keyof().options,
})

/** Running totals over all dead letters: how many there are in each state, and in all. */
export const LETTER_TOTALS = { tally: 'dlq', member: 'all' } as const

/** What a new dead letter adds to the totals, or one that is closed moves between them. */
export const tallyOfLetter = (from: 'pending' | undefined, to: DlqItem['status']): Tally => ({
  ...LETTER_TOTALS,
  add: from ? { [from]: -1, [to]: 1 } : { [to]: 1, total: 1 },
})
