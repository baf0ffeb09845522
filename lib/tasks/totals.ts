import type { Store } from '../ports/store.ts'
import { TASK_STATUSES } from './machine.ts'
import { by, TASK_TOTALS } from './tally.ts'

/** The maintained totals over all tasks, for whoever shows them. */
export const createTotals = (store: Store) => {
  const read = async () => (await store.tallies(TASK_TOTALS.group))[TASK_TOTALS.member] ?? {}
  return {
    /** How many tasks are in each state; every state is there. */
    byStatus: async (): Promise<Record<string, number>> => ({
      ...Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])),
      ...by(await read(), 'status'),
    }),
    /** What the runs of an agent came to: completions, final failures, milliseconds, the last completion. */
    ofAgents: async () => {
      const totals = await read()
      return (type: string) => ({
        completed: totals[`completed:${type}`] ?? 0,
        failed: totals[`failed:${type}`] ?? 0,
        durationMs: totals[`durationMs:${type}`] ?? 0,
        lastAt: totals[`lastAt:${type}`],
      })
    },
  }
}
