import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Follower, Outcome, Store, Update } from '../ports/store.ts'
import { eventOf, nextStatus, type TaskStatus, type TaskVerb } from './machine.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import type { TaskEvent } from './schema.ts'
import { tallyOfMove } from './tally.ts'

type Needs = { store: Store; queue: { readonly durable: boolean }; clock: Clock; ids: Ids }

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
  /** What its event says, and what else follows from the row as it is after the move. A silent one leaves no event. */
  event?: EventText | ((row: TaskRow) => EventText)
  silent?: boolean
  followers?: (row: TaskRow) => readonly Follower[]
}

export type Lifecycle = ReturnType<typeof createLifecycle>

/** The only writer of a task's status. */
export const createLifecycle = ({ store, queue, clock, ids }: Needs) => {
  const event = (taskId: string, type: TaskEvent['type'], more: EventText = {}): TaskEvent => ({
    id: ids.next('evt'),
    taskId,
    type,
    timestamp: iso(clock.now()),
    ...more,
  })

  const updateOf = (it: Move, to: TaskStatus): Update<TaskRow> => ({
    update: tasks,
    key: it.taskId,
    when: { ...it.when, status: it.from },
    set: { ...it.set, status: to, updatedAt: iso(clock.now()) },
    ...(it.add ? { add: it.add } : {}),
    ...(it.unset ? { unset: it.unset } : {}),
  })

  /**
   * Applies a move if the task is still in the state it leaves and meets `when`. The outcome's row carries detail
   * fields; when the move was not applied it is the row that stood in the way.
   */
  const move = (it: Move): Promise<Outcome<TaskRow>> => store.commit(...writesOf(it))

  /** As `move`, but resolves once it is decided; `durable` tells when it cannot be lost any more. */
  const moveAhead = (it: Move) => store.decide(...writesOf(it))

  const writesOf = (it: Move) => {
    const to = targetOf(it)
    const followers = (row: TaskRow): Follower[] => [
      ...(it.silent
        ? []
        : [{ insert: taskEvents, row: event(it.taskId, eventOf[it.verb], textOf(it.event, row)) }]),
      tallyOfMove(it.from, to),
      ...(it.followers?.(row) ?? []),
    ]
    return [updateOf(it, to), followers, true] as const
  }

  /** A move as followers of another write, for a caller who knows that the task is in the state it leaves. */
  const asFollowers = (it: Omit<Move, 'event' | 'followers'>): Follower[] => {
    const to = targetOf(it)
    return [
      updateOf(it, to),
      { insert: taskEvents, row: event(it.taskId, eventOf[it.verb]) },
      tallyOfMove(it.from, to),
    ]
  }

  /** Whoever goes back to the queue is pending until that took it; a queue in memory always does. */
  const targetOf = ({ from, verb }: Pick<Move, 'from' | 'verb'>): TaskStatus => {
    const to = nextStatus(from, verb)
    if (to === undefined) throw new Error(`the lifecycle has no ${verb} from ${from}`)
    return to === 'queued' && verb !== 'enqueue' && queue.durable ? 'pending' : to
  }

  return { move, moveAhead, asFollowers, event }
}

const textOf = (text: Move['event'], row: TaskRow): EventText | undefined =>
  typeof text === 'function' ? text(row) : text
