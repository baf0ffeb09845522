import { missing } from '../core/errors.ts'
import type { Actor } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { conversations } from './rows.ts'

/** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
export const createCheckOwnConversation =
  ({ store }: { store: Pick<Store, 'get'> }) =>
  async ({ userId }: Actor, id: string): Promise<void> => {
    if ((await store.get(conversations, id))?.userId !== userId) throw missing('Conversation')
  }
