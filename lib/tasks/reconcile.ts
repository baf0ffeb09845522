import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import { type Owed, owedByBirth, owedByMove } from './reconcile-owed.ts'
import { birthText } from './remembered.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import type { TaskEvent } from './schema.ts'

type Needs = { store: Store; queue: { readonly durable: boolean }; ids: Ids }

export type Reconcile = ReturnType<typeof createReconcile>

/**
 * Beside a durable queue, storage has no transaction for a task, its events and the totals. The task is written first,
 * and says what follows; that is told next, by its writer, or by whoever finds reason to doubt that the writer lived to
 * do so. Whoever inserts the event adds its totals, so none is told or counted twice, however many try. What a death
 * between an event and its totals leaves uncounted is for the counters' own check.
 */
export const createReconcile = ({ store, queue, ids }: Needs) => {
  const tell = ({ event, tallies }: Owed) =>
    store.commit<TaskEvent>({ insert: taskEvents, row: event }, tallies)

  const tellMissing = async (owed: Owed): Promise<void> => {
    const { taskId, id } = owed.event
    if ((await store.get(taskEvents, [taskId, id])) === undefined) await tell(owed)
  }

  /**
   * Those that move no totals come first. That one of them is missing shows nowhere; of the others the totals show it, and
   * whoever looks into that tells all that is missing.
   */
  const inOrder = async (all: readonly Owed[], tellOne: (owed: Owed) => Promise<unknown>): Promise<void> => {
    await Promise.all(all.filter(({ tallies }) => tallies.length === 0).map(tellOne))
    await Promise.all(all.filter(({ tallies }) => tallies.length > 0).map(tellOne))
  }

  return {
    /** A new row that says how it came to be, where that is told after it; for an imported one, when it was imported. */
    born: (row: TaskRow, imported?: string): TaskRow => {
      if (!queue.durable) return row
      const id = ids.next('evt')
      // The place next to it is kept for the first `queued`.
      ids.next('evt')
      const birth = { id, as: row.status, ...(imported === undefined ? {} : { imported }) }
      return { ...row, born: birthText(birth) }
    },
    /** Tells what follows from a creation, right after it. */
    tellBirth: (row: TaskRow): Promise<void> => inOrder(owedByBirth(row), tell),
    /** Tells what follows from a move, of the row that it left. */
    tellMove: (row: TaskRow): Promise<void> => inOrder(owedByMove(row), tell),
    /**
     * Tells what the creation and the last move of a task left untold, where its writer may have died: needed before the
     * next move, which overwrites the word of the last one. Resolves to the task as it was found, whole.
     */
    settle: async (id: string): Promise<TaskRow | undefined> => {
      if (!queue.durable) return undefined
      const row = await store.get(tasks, id, true)
      if (row) await inOrder([...owedByBirth(row), ...owedByMove(row)], tellMissing)
      return row
    },
  }
}
