import type { EventText, Lifecycle, Move } from './lifecycle.ts'
import type { TaskRow } from './rows.ts'
import { tallyOfEnd } from './tally.ts'

/** A task that a worker holds; its row is the proof, through the fencing number in it. */
export type Held = Pick<TaskRow, 'id' | 'fence' | 'attempts' | 'agent' | 'priority' | 'startedAt'>

const LEASE_ENDS = ['leaseExpiresAt'] as const

/** Moves of a task that apply only while it is held under the same fencing number. */
export const createHeldMoves = (lifecycle: Lifecycle) => {
  /** Moves a held task on. Resolves to the row, or undefined when the task is no longer held. */
  const moveHeld = (
    held: Held,
    move: Omit<Move, 'taskId' | 'from'> & { event: EventText },
  ): Promise<TaskRow | undefined> =>
    lifecycle
      .move({
        ...move,
        taskId: held.id,
        from: 'in_progress',
        when: { ...move.when, fence: held.fence },
        unset: [...(move.unset ?? []), ...LEASE_ENDS],
      })
      .then(({ applied, row }) => (applied ? row : undefined))
  return moveHeld
}
export type MoveHeld = ReturnType<typeof createHeldMoves>

/** What the events of a run say of it. */
export const textOf = (held: Held, message?: string) => ({
  agent: held.agent,
  attempt: held.attempts,
  ...(message === undefined ? {} : { message }),
})

/** What the end of a run adds to the totals. */
export const endTally = (status: 'completed' | 'failed') => (row: TaskRow) => {
  const at = row.completedAt ?? row.updatedAt
  const durationMs = Math.max(0, Date.parse(at) - Date.parse(row.startedAt ?? at))
  return tallyOfEnd(row.agent, status, at, durationMs)
}
