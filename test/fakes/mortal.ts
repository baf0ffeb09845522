import type { Store } from '../../lib/ports/store.ts'

/** Storage that fails, as a death would, when a row of the collection `state.at` is to be written. */
export const mortalStore = () => {
  const state: { at?: string } = {}
  const refuse = (head: object) => {
    const { insert, update } = head as { insert?: { name: string }; update?: { name: string } }
    if (state.at !== undefined && (insert?.name === state.at || update?.name === state.at))
      throw new Error('the process died')
  }
  const wrapStore = (store: Store): Store => ({
    ...store,
    commit: async (head, ...more) => {
      refuse(head)
      return store.commit(head, ...more)
    },
    decide: async (head, ...more) => {
      refuse(head)
      return store.decide(head, ...more)
    },
  })
  return { state, wrapStore }
}
