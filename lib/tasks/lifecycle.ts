import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Follower, Outcome, Store, Update } from '../ports/store.ts'
import { eventOf, nextStatus, statusBesideQueue, type TaskStatus, type TaskVerb } from './machine.ts'
import type { Reconcile } from './reconcile.ts'
import { isToldByRow, startedText } from './reconcile-owed.ts'
import { type EventText, moveIn, moveText } from './remembered.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import type { TaskEvent } from './schema.ts'
import { tallyOfEnded, tallyOfMove } from './tally.ts'
import type { Telling } from './telling.ts'

type Needs = {
  store: Store
  queue: { readonly durable: boolean }
  reconcile: Pick<Reconcile, 'tellMove'>
  telling: Pick<Telling, 'move'>
  clock: Clock
  ids: Ids
}

/** One change of state: what it leaves, which verb, and what else is written with it. */
export type Move = {
  taskId: string
  from: TaskStatus
  verb: TaskVerb
  when?: NonNullable<Update<TaskRow>['when']>
  set?: Partial<TaskRow>
  add?: { fence?: number; attempts?: number }
  unset?: readonly Extract<keyof TaskRow, string>[]
  /** What its event says; that of a start is told by the row. A silent move leaves no event. */
  event?: EventText
  eventId?: string
  silent?: boolean
  /** Whoever asks for it would not ask for it again: beside a durable queue it is done though its event is owed, or its answer lost. */
  mayOwe?: boolean
  /** What else follows from the row as it is after the move, under the id of its event. */
  followers?: (row: TaskRow, eventId: string) => readonly Follower[]
}

export type Lifecycle = ReturnType<typeof createLifecycle>

/**
 * The only writer of a task's status. Beside a queue in memory, storage has transactions: event and totals are written
 * with the move. Beside a durable one the row says what follows from the move, and that is told after it.
 */
export const createLifecycle = ({ store, queue, reconcile, telling, clock, ids }: Needs) => {
  const event = (taskId: string, type: TaskEvent['type'], more: EventText = {}, id?: string): TaskEvent => ({
    id: id ?? ids.next('evt'),
    taskId,
    type,
    timestamp: iso(clock.now()),
    ...more,
  })

  const updateOf = (it: Move, to: TaskStatus, last?: string): Update<TaskRow> => ({
    update: tasks,
    key: it.taskId,
    when: { ...it.when, status: it.from },
    set: { ...it.set, status: to, updatedAt: iso(clock.now()), ...(last ? { last } : {}) },
    ...(it.add ? { add: it.add } : {}),
    ...(it.unset ? { unset: it.unset } : {}),
  })

  /** A move with all that follows from it. */
  const whole = (it: Move) => {
    const to = targetOf(it)
    const followers = (row: TaskRow): Follower[] => {
      const id = it.eventId ?? (it.silent ? '' : ids.next('evt'))
      const text = it.verb === 'start' ? startedText(row) : it.event
      const all: Follower[] = [tallyOfMove(it.from, to), ...tallyOfEnded(row)]
      if (!it.silent) all.push({ insert: taskEvents, row: event(it.taskId, eventOf[it.verb], text, id) })
      if (it.followers) all.push(...it.followers(row, id))
      return all
    }
    return [updateOf(it, to), followers, true] as const
  }

  /** A move that is told after it was written: the row remembers it until then. */
  const noted = (it: Move): Update<TaskRow> => {
    const { verb, from } = it
    const to = targetOf(it)
    const text = it.event === undefined || isToldByRow(verb) ? {} : { text: it.event }
    return updateOf(it, to, moveText({ id: it.eventId ?? ids.next('evt'), verb, from, ...text }))
  }

  /** Storage that would not say whether it took a move that nobody asks for again is asked what there is. */
  const movedAfterAll = async (it: Move, eventId: string, refused: unknown): Promise<Outcome<TaskRow>> => {
    const row = it.mayOwe ? await store.get(tasks, it.taskId, true) : undefined
    if (moveIn(row?.last)?.id !== eventId) throw refused
    return { applied: true, row }
  }

  const moveThenTell = async (it: Move): Promise<Outcome<TaskRow>> => {
    const head = noted(it)
    const { followers } = it
    const eventId = moveIn(head.set?.last)?.id ?? ''
    const outcome = await store
      .commit(head, followers ? (row) => followers(row, eventId) : [], true)
      .catch((thrown) => movedAfterAll(it, eventId, thrown))
    const tell = it.mayOwe ? telling.move : reconcile.tellMove
    if (outcome.applied && outcome.row) await tell(outcome.row)
    return outcome
  }

  /**
   * Applies a move if the task is still in the state it leaves and meets `when`. The outcome's row carries detail
   * fields; when the move was not applied it is the row that stood in the way.
   */
  const move = (it: Move): Promise<Outcome<TaskRow>> =>
    queue.durable && !it.silent ? moveThenTell(it) : store.commit(...whole(it))

  /** As `move`, but resolves once it is decided; `durable` tells when it cannot be lost any more. */
  const moveAhead = async (it: Move): ReturnType<typeof store.decide<TaskRow>> =>
    queue.durable ? { ...(await move(it)), durable: Promise.resolve() } : store.decide(...whole(it))

  /** A move as followers of another write, for a caller who knows that the task is in the state it leaves. */
  const asFollowers = (it: Omit<Move, 'event' | 'followers'>): Follower[] => {
    if (queue.durable) return [noted(it)]
    const to = targetOf(it)
    return [
      updateOf(it, to),
      { insert: taskEvents, row: event(it.taskId, eventOf[it.verb]) },
      tallyOfMove(it.from, to),
    ]
  }

  /** Whoever goes back to the queue is pending until that took it; a queue in memory always does. */
  const targetOf = ({ from, verb }: Pick<Move, 'from' | 'verb'>): TaskStatus => {
    const to = queue.durable ? statusBesideQueue(from, verb) : nextStatus(from, verb)
    if (to === undefined) throw new Error(`the lifecycle has no ${verb} from ${from}`)
    return to
  }

  return { move, moveAhead, asFollowers, event }
}
