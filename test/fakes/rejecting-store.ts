import { Problem } from '../../lib/core/errors.ts'
import type { AnyWrite, Store } from '../../lib/ports/store.ts'

const collectionName = (write: AnyWrite): string => {
  if ('insert' in write) return write.insert.name
  return 'update' in write ? write.update.name : write.remove.name
}

/**
 * Storage that rejects the next commit which writes a row of the collection `state.next`. With `isApplied` the commit is
 * applied all the same, as when its answer is lost.
 */
export const rejectingStore = () => {
  const state: { next?: string | undefined; isApplied?: boolean } = {}
  const wrapStore = (store: Store): Store => ({
    ...store,
    commit: async (head, rows = [], detail) => {
      const isNext = [head, ...rows].some((write) => collectionName(write) === state.next)
      if (!isNext) return store.commit(head, rows, detail)
      state.next = undefined
      if (state.isApplied) await store.commit(head, rows, detail)
      throw new Problem('unavailable', 'storage_unavailable', 'Storage gave no answer')
    },
  })
  return { state, wrapStore }
}
