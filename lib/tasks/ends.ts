import type { Lifecycle } from './lifecycle.ts'
import { isFinal } from './machine.ts'
import { publicTask } from './rows.ts'
import type { Task } from './schema.ts'

/** Hears of each end of a task, once it is stored and whole; it must not reject. */
export type HearEnd = (task: Task) => Promise<void>

/** A lifecycle that says when a task has come to its end, whoever moved it there. */
export const tellingEnds = (lifecycle: Lifecycle, hear: HearEnd): Lifecycle => ({
  ...lifecycle,
  move: async (it) => {
    const outcome = await lifecycle.move(it)
    if (outcome.applied && outcome.row && isFinal(outcome.row.status)) await hear(publicTask(outcome.row))
    return outcome
  },
})
