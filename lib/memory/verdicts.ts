import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Insert, Store, Update } from '../ports/store.ts'
import { type MemoryVerdictRow, memoryVerdicts } from './rows.ts'
import type { MemoryVerdict } from './schema.ts'

/** Verdicts that an answer has room for; a task is given a few things. */
const MOST = 200

type Needs = { store: Store; clock: Clock }

export type Verdicts = ReturnType<typeof createVerdicts>

/**
 * Whether what memory gave to a task was useful for it. Each thing that a task was given has one verdict, the last one: what
 * follows from a verdict is counted once, and moved when the verdict changes.
 */
export const createVerdicts = ({ store, clock }: Needs) => {
  const of = async (taskId: string, id: string): Promise<boolean | undefined> =>
    (await store.get(memoryVerdicts, [taskId, id]))?.useful

  /** The write of a verdict, which applies only in place of the one before. */
  const write = (taskId: string, id: string, useful: boolean, before: boolean | undefined): AnyWrite => {
    const said = { useful, at: iso(clock.now()) }
    return before === undefined
      ? ({ insert: memoryVerdicts, row: { taskId, id, ...said } } satisfies Insert<MemoryVerdictRow>)
      : ({
          ...{ update: memoryVerdicts, key: [taskId, id], when: { useful: before }, set: said },
        } satisfies Update<MemoryVerdictRow>)
  }

  return {
    of,
    write,
    list: async (taskId: string): Promise<{ verdicts: MemoryVerdict[] }> => {
      const query = { index: 'ofTask', is: taskId, order: 'asc', limit: MOST } as const
      const { rows } = await store.page(memoryVerdicts, query)
      return { verdicts: rows.map(({ id, useful, at }) => ({ id, useful, at })) }
    },
  }
}
