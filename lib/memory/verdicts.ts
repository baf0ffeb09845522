import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Insert, Store, Update } from '../ports/store.ts'
import { type MemoryVerdictRow, memoryVerdicts } from './rows.ts'
import type { MemoryVerdict } from './schema.ts'

/** The most verdicts of an answer; a task is given only a few things. */
const MOST = 200

type Needs = { store: Store; clock: Clock }

export type Verdicts = ReturnType<typeof createVerdicts>

/** Verdicts whether guidance was useful for a task: one for each item that it was given, the latest. */
export const createVerdicts = ({ store, clock }: Needs) => {
  const of = async (taskId: string, id: string): Promise<boolean | undefined> =>
    (await store.get(memoryVerdicts, [taskId, id]))?.useful

  /** The write of a verdict, which applies only if the stored one is `before`. */
  const write = (taskId: string, id: string, useful: boolean, before: boolean | undefined): AnyWrite => {
    const verdict = { useful, at: iso(clock.now()) }
    return before === undefined
      ? ({ insert: memoryVerdicts, row: { taskId, id, ...verdict } } satisfies Insert<MemoryVerdictRow>)
      : ({
          update: memoryVerdicts,
          key: [taskId, id],
          when: { useful: before },
          set: verdict,
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
