import { collection } from '../core/collection.ts'
import type { Store } from '../ports/store.ts'

/** How the last process on this data ended; `running` while one runs, and ever after one that died. */
export type Exit = { id: string; state: 'running' | 'orderly' }
export const exits = collection<Exit>({ name: 'exits', key: 'id', indexes: {} })

const ID = 'process'

/** Remembers across processes whether the last one ended in order. For data that has one process at a time. */
export const createLastExit = (store: Store) => ({
  /** Notes that a process runs; resolves to whether the one before it ended in order. */
  begin: async (): Promise<boolean> => {
    const first = await store.commit<Exit>({ insert: exits, row: { id: ID, state: 'running' } })
    if (first.applied) return true
    await store.commit<Exit>({ update: exits, key: ID, set: { state: 'running' } })
    return first.row?.state === 'orderly'
  },
  /** Writes what is there already: whether storage takes a write. Throws Problem `unavailable` when it does not. */
  touch: async (): Promise<void> => {
    await store.commit<Exit>({ update: exits, key: ID, set: { state: 'running' } })
  },
  end: async (): Promise<void> => {
    await store.commit<Exit>({ update: exits, key: ID, set: { state: 'orderly' } })
  },
})
