import type { Lifecycle, Move } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import type { EventText } from './remembered.ts'
import type { TaskRow } from './rows.ts'

/** A task that a worker holds; its row is the proof, through the fencing number in it. */
export type Held = Pick<TaskRow, 'id' | 'fence' | 'attempts' | 'agent' | 'priority' | 'startedAt'>

const LEASE_ENDS = ['leaseExpiresAt'] as const

type Needs = { lifecycle: Lifecycle; reconcile: Pick<Reconcile, 'settle'> }

/** Moves of a task that apply only while it is held under the same fencing number. */
export const createHeldMoves = ({ lifecycle, reconcile }: Needs) => {
  /**
   * Moves a held task on. Resolves to the row, or undefined when the task is no longer held: then this very move may
   * have been written by a try before, and what follows from it not.
   */
  const moveHeld = async (
    held: Held,
    move: Omit<Move, 'taskId' | 'from'> & { event: EventText },
  ): Promise<TaskRow | undefined> => {
    const { applied, row } = await lifecycle.move({
      ...move,
      taskId: held.id,
      from: 'in_progress',
      when: { ...move.when, fence: held.fence },
      unset: [...(move.unset ?? []), ...LEASE_ENDS],
    })
    if (applied) return row
    await reconcile.settle(held.id)
    return undefined
  }
  return moveHeld
}
export type MoveHeld = ReturnType<typeof createHeldMoves>

/** What the events of a run say of it. */
export const textOf = (held: Held, message?: string) => ({
  agent: held.agent,
  attempt: held.attempts,
  ...(message === undefined ? {} : { message }),
})
