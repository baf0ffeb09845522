import type { WaitState } from '../approvals/schema.ts'
import type { TaskRow } from './schema.ts'

/** The verbs of approvals that tasks call. */
export type TaskApprovals = {
  /** The state of all of them: `expired` if any has expired, `decided` once none is pending. */
  stateOfAll(approvalIds: readonly string[]): Promise<WaitState>
  /** When the first of them expires; undefined where none does. */
  firstExpiry(approvalIds: readonly string[]): Promise<string | undefined>
}

export const WAIT_FIELDS = ['waitingFor', 'waiting', 'approvalIds'] as const satisfies (keyof TaskRow)[]

/** What a write that ends the wait of a task sets: its waiting time up to `now`. */
export const waitedUntil = ({ waiting, waitingMs = 0 }: TaskRow, now: number): Pick<TaskRow, 'waitingMs'> =>
  waiting === undefined ? {} : { waitingMs: waitingMs + Math.max(0, now - Date.parse(waiting.since)) }
