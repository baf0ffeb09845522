import type { Store } from '../ports/store.ts'
import { tasks } from './rows.ts'

type Needs = { store: Store; findUser: (userId: string) => Promise<{ name: string } | undefined> }

export type ReadCreators = ReturnType<typeof createReadCreators>

/** Who created these tasks: who may read a task may know by whom it is. Creators without an account are left out. */
export const createReadCreators =
  ({ store, findUser }: Needs) =>
  async (taskIds: readonly string[]) => {
    const rows = await Promise.all([...new Set(taskIds)].map((id) => store.get(tasks, id)))
    const ids = [...new Set(rows.flatMap((row) => row?.createdBy ?? []))]
    const found = await Promise.all(ids.map(async (id) => ({ id, name: (await findUser(id))?.name })))
    return found.flatMap(({ id, name }) => (name === undefined ? [] : [{ id, name }]))
  }
