import { createSignal } from './signal.ts'

const listed = createSignal<readonly string[]>([])

export const rememberList = (ids: readonly string[]) => listed.set(ids)

/** The previous and next task of the last visited list. */
export const useNeighbours = (id: string): { before?: string | undefined; after?: string | undefined } => {
  const ids = listed.use()
  const at = ids.indexOf(id)
  return at < 0 ? {} : { before: ids[at - 1], after: ids[at + 1] }
}
