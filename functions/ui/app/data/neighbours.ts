import { createSignal } from './signal.ts'

/** The tasks of the list that was seen last, in its order. */
const listed = createSignal<readonly string[]>([])

export const rememberList = (ids: readonly string[]) => listed.set(ids)

/** The tasks before and after one in the list that was seen last. */
export const useNeighbours = (id: string): { before?: string | undefined; after?: string | undefined } => {
  const ids = listed.use()
  const at = ids.indexOf(id)
  return at < 0 ? {} : { before: ids[at - 1], after: ids[at + 1] }
}
