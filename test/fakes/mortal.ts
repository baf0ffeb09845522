import { Problem } from '../../lib/core/errors.ts'
import type { AnyWrite, Store } from '../../lib/ports/store.ts'

const collectionName = (write: AnyWrite): string =>
  'insert' in write ? write.insert.name : 'update' in write ? write.update.name : write.remove.name

/** Storage that fails, as a death would, when a row of the collection `state.at` is to be written. */
export const mortalStore = () => {
  const state: { at?: string } = {}
  const wrapStore = (store: Store): Store => ({
    ...store,
    commit: async (head, rows = [], detail = false) => {
      if ([head, ...rows].some((write) => collectionName(write) === state.at))
        throw new Error('the process died')
      return store.commit(head, rows, detail)
    },
  })
  return { state, wrapStore }
}

/** Storage that takes `commits.left` more commits, and is unavailable for those after them. */
export const limitedStore = () => {
  const commits = { left: Number.POSITIVE_INFINITY }
  const wrapStore = (real: Store): Store => ({
    ...real,
    commit: (...change) =>
      commits.left-- > 0
        ? real.commit(...change)
        : Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now')),
  })
  return { commits, wrapStore }
}
