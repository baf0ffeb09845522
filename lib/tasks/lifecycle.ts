import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Follower, Outcome, Store, Update } from '../ports/store.ts'
import { eventOf, nextStatus, type TaskStatus, type TaskVerb } from './machine.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import type { TaskEvent } from './schema.ts'
import { tallyOfMove } from './tally.ts'

type Needs = { store: Store; clock: Clock; ids: Ids }

export type EventText = Pick<TaskEvent, 'message' | 'agent' | 'attempt' | 'metadata'>

/** One change of state: what it leaves, which verb, and what else is written with it. */
export type Move = {
  taskId: string
  from: TaskStatus
  verb: TaskVerb
  when?: NonNullable<Update<TaskRow>['when']>
  set?: Partial<TaskRow>
  add?: { fence?: number; attempts?: number }
  unset?: readonly Extract<keyof TaskRow, string>[]
  /** What its event says, and what else follows from the row as it is after the move. */
  event?: EventText | ((row: TaskRow) => EventText)
  followers?: (row: TaskRow) => readonly Follower[]
}

export type Lifecycle = ReturnType<typeof createLifecycle>

/** The only writer of a task's status. */
export const createLifecycle = ({ store, clock, ids }: Needs) => {
  const event = (taskId: string, type: TaskEvent['type'], more: EventText = {}): TaskEvent => ({
    id: ids.next('evt'),
    taskId,
    type,
    timestamp: iso(clock.now()),
    ...more,
  })

  /**
   * Applies a move if the task is still in the state it leaves and meets `when`. The outcome's row carries detail
   * fields; when the move was not applied it is the row that stood in the way.
   */
  const move = (it: Move): Promise<Outcome<TaskRow>> => {
    const to = nextStatus(it.from, it.verb)
    if (to === undefined) throw new Error(`the lifecycle has no ${it.verb} from ${it.from}`)
    return store.commit<TaskRow>(
      {
        update: tasks,
        key: it.taskId,
        when: { ...it.when, status: it.from },
        set: { ...it.set, status: to, updatedAt: iso(clock.now()) },
        ...(it.add ? { add: it.add } : {}),
        ...(it.unset ? { unset: it.unset } : {}),
      },
      (row) => [
        { insert: taskEvents, row: event(it.taskId, eventOf[it.verb], textOf(it.event, row)) },
        tallyOfMove(it.from, to),
        ...(it.followers?.(row) ?? []),
      ],
      true,
    )
  }

  return { move, event }
}

const textOf = (text: Move['event'], row: TaskRow): EventText | undefined =>
  typeof text === 'function' ? text(row) : text
