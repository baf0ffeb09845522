import type { Deliver } from '../../lib/adapters/sqlite/outbox.ts'
import type { SqliteStore } from '../../lib/adapters/sqlite/store.ts'

/** A receiver of messages, and a promise of the moment when it has accepted every message that it was given. */
export const createReceiver = (deliver: Deliver) => {
  const given = new Set<string>()
  const waiting: (() => void)[] = []
  return {
    deliver: async (messages: Parameters<Deliver>[0]): Promise<void> => {
      for (const { id } of messages) given.add(id)
      await deliver(messages)
      for (const { id } of messages) given.delete(id)
      if (given.size === 0) for (const wake of waiting.splice(0)) wake()
    },
    /** Resolves when every message of the store's commits so far is accepted, and its row is removed. */
    settled: async (store: SqliteStore): Promise<void> => {
      await store.adjust([])
      if (given.size > 0) await new Promise<void>((resolve) => waiting.push(resolve))
      await store.adjust([])
    },
  }
}
