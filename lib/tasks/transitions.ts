import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Outcome, Store, Update } from '../ports/store.ts'
import { isFinal, nextStatus, type TaskStatus, type TaskVerb, verbEvents } from './machine.ts'
import { tasks } from './rows.ts'
import { publicTask, type Task, type TaskEvent, type TaskLogEntry, type TaskRow } from './schema.ts'

type Needs = {
  store: Pick<Store, 'commit'>
  log: Pick<Log, 'info'>
  clock: Pick<Clock, 'now'>
  ids: Ids
  /** Called for each end of a task that this process wrote, for callers that wait in this process; it must not reject. */
  ended: (task: Task) => Promise<void>
  /** Called with a task as each change of its state has left it. */
  follow?: (row: TaskRow) => void
  /** Whether an event of this type is sent as a notice to outbound webhooks. */
  sendsNotice: (type: TaskEvent['type']) => boolean
}

/** The fields of an event beside its type that are stored in the log; the row has the rest. */
export type EventText = Pick<TaskLogEntry, 'message' | 'attempt' | 'metadata'>

/** One change of state: the state that it leaves, the verb, and further fields of the write. */
export type Transition = Pick<Update<TaskRow>, 'when' | 'set' | 'setIfAbsent' | 'add' | 'unset'> & {
  taskId: string
  from: TaskStatus
  verb: TaskVerb
  event?: EventText
  /** The id of its event, when another row uses it as a name. */
  eventId?: string
}

export type Transitions = ReturnType<typeof createTransitions>

/** The only writer of a task's status: each change of state is one conditional write with its event. */
export const createTransitions = ({ store, log, clock, ids, ended, follow, sendsNotice }: Needs) => {
  /** Commits as storage does, and logs each change of a task's state: for every commit with a write of a task. */
  const commit: Store['commit'] = async (head, rows = [], detail) => {
    const outcome = await store.commit(head, rows, detail)
    if (!outcome.applied) return outcome
    logChange(log, head, outcome.row)
    for (const write of rows) logChange(log, write, undefined)
    return outcome
  }

  const event = (type: TaskEvent['type'], text: EventText = {}, id = ids.next('evt')): TaskLogEntry => ({
    id,
    type,
    ...text,
  })

  /** An event that is marked as emitted when a notice of it is sent. */
  const emittedEvent = (type: TaskEvent['type'], text?: EventText, id?: string): TaskLogEntry => ({
    ...event(type, text, id),
    ...(sendsNotice(type) ? { emitted: true } : {}),
  })

  /** The write of a change of state. Throws Error for a change that the lifecycle does not have. */
  const toWrite = ({ taskId, from, verb, when, set, event, eventId, ...changes }: Transition) => {
    const status = nextStatus(from, verb)
    if (status === undefined) throw new Error(`the lifecycle has no ${verb} from ${from}`)
    return {
      update: tasks,
      key: taskId,
      when: { ...when, status: from },
      set: { ...set, status, updatedAt: iso(clock.now()) },
      ...changes,
      log: [emittedEvent(verbEvents[verb], event, eventId)],
    }
  }

  /** Applies a change together with `rows` or not at all. The row of the outcome has its detail fields. */
  const apply = async (it: Transition, rows: readonly AnyWrite[] = []): Promise<Outcome<TaskRow>> => {
    const write = toWrite(it)
    const outcome = await commit<TaskRow>(write, rows, true)
    if (outcome.applied && outcome.row) follow?.(outcome.row)
    if (outcome.applied && outcome.row && isFinal(write.set.status)) await ended(publicTask(outcome.row))
    return outcome
  }

  return { apply, commit, toWrite, event, emittedEvent }
}

/** `stored` is the row after the write, if the commit returned it: without it `requestId` may be missing. */
const logChange = (log: Pick<Log, 'info'>, write: AnyWrite, stored: object | undefined): void => {
  if ('insert' in write && write.insert === tasks) {
    const { id, status, trace } = write.row as TaskRow
    log.info({ ...trace, taskId: id, to: status }, 'task')
  } else if ('update' in write && write.update === tasks && write.set?.status !== undefined) {
    const { key, when, set } = write
    const attempt = write.log?.[0]?.attempt
    const { trace } = (stored ?? set) as Partial<TaskRow>
    const line = { ...trace, taskId: key, from: when?.status, to: set.status }
    log.info(attempt === undefined ? line : { ...line, attempt }, 'task')
  }
}
