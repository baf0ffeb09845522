import type { Lifecycle } from './lifecycle.ts'
import { isFinal } from './machine.ts'
import type { TaskRow } from './rows.ts'

/**
 * Hears of each end of a task, once it is stored and whole, by its row, of which it hands on what is public; it must not reject. Undefined when there is
 * nothing to wait for.
 */
export type HearEnd = (row: TaskRow) => Promise<void> | undefined

/** A lifecycle that says when a task has come to its end, whoever moved it there. */
export const tellingEnds = (lifecycle: Lifecycle, hear: HearEnd): Lifecycle => ({
  ...lifecycle,
  move: async (it) => {
    const outcome = await lifecycle.move(it)
    const told = outcome.applied && outcome.row && isFinal(outcome.row.status) && hear(outcome.row)
    if (told) await told
    return outcome
  },
})
