import type { Store } from '../ports/store.ts'
import { isFinal } from './machine.ts'
import { publicTask, taskEvents, tasks } from './rows.ts'
import type { Task } from './schema.ts'

/** How a task stands, for those who know its id and not whether it is there. */
export const createStanding = ({ store }: { store: Store }) => ({
  /** The whole task; undefined when there is none. */
  find: async (id: string): Promise<Task | undefined> => {
    const row = await store.get(tasks, id, true)
    return row && publicTask(row)
  },

  /** Whether it has ended; undefined when there is none. */
  isOver: async (id: string): Promise<boolean | undefined> => {
    const row = await store.get(tasks, id)
    return row && isFinal(row.status)
  },

  /** The last thing that its agent said of its progress. */
  lastProgress: async (id: string): Promise<string | undefined> => {
    const { rows } = await store.page(taskEvents, {
      index: 'ofTask',
      is: id,
      where: [{ field: 'type', in: ['progress'] }],
      order: 'desc',
      limit: 1,
    })
    return rows[0]?.message
  },
})
