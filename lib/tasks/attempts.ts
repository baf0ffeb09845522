import type { LogEntry } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { existing } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import { timeOfId } from '../core/ulid.ts'
import type { Store } from '../ports/store.ts'
import type { Attempt, KeptResult } from './attempt-schema.ts'
import { keptResult } from './kept-result.ts'
import { attemptResults, tasks } from './rows.ts'
import { CostSchema, type TaskLogEntry, type TaskRow } from './schema.ts'

type Open = { -readonly [Name in keyof Attempt]: Attempt[Name] }
/** `endId` is the id of the event of its end. */
type LoggedAttempt = { attempt: Open; endId?: string; waitsSince?: number }

type Ending = Exclude<Attempt['status'], 'running' | 'waiting'>
const ENDINGS: Readonly<Partial<Record<TaskLogEntry['type'], Ending>>> = {
  retrying: 'failed',
  failed: 'failed',
  recovered: 'lost',
  completed: 'completed',
  cancelled: 'cancelled',
}

const codeIn = ({ metadata }: TaskLogEntry) =>
  typeof metadata?.code === 'string' ? metadata.code : undefined

const uncounted = (entry: TaskLogEntry): Ending | undefined =>
  codeIn(entry) === 'released' ? 'interrupted' : entry.metadata?.counted === false ? 'refused' : undefined

const endWait = (logged: LoggedAttempt, atMs: number): void => {
  const { attempt, waitsSince } = logged
  if (waitsSince === undefined) return
  attempt.waitingMs = (attempt.waitingMs ?? 0) + Math.max(0, atMs - waitsSince)
  delete logged.waitsSince
}

const end = (logged: LoggedAttempt, ending: Ending, entry: TaskLogEntry): void => {
  const { attempt } = logged
  const code = codeIn(entry)
  endWait(logged, timeOfId(entry.id))
  logged.endId = entry.id
  attempt.status = uncounted(entry) ?? ending
  attempt.endedAt = iso(timeOfId(entry.id))
  const cost = CostSchema.safeParse(entry.metadata?.cost).data
  if (cost) attempt.cost = cost
  if ((ending === 'failed' || ending === 'lost') && code !== undefined && code !== 'released')
    attempt.error = { code, message: entry.message ?? '' }
}

const begin = ({ id, attempt = 1, metadata }: TaskLogEntry): LoggedAttempt => ({
  attempt: {
    id,
    attempt,
    status: 'running',
    startedAt: iso(timeOfId(id)),
    ...(typeof metadata?.runner === 'string' && { runner: metadata.runner }),
  },
})

/** The attempts in a log, in their order: each from its start to the event of its end. */
const loggedAttempts = (log: readonly LogEntry[]): LoggedAttempt[] => {
  const all: LoggedAttempt[] = []
  for (const each of log as readonly (LogEntry & TaskLogEntry)[]) {
    const last = all.at(-1)
    const open = last?.endId === undefined ? last : undefined
    const ending = ENDINGS[each.type]
    const code = codeIn(each)
    if (each.type === 'started') all.push(begin(each))
    else if (open === undefined) continue
    else if (ending) end(open, ending, each)
    else if (code === 'waiting_for_approval') {
      open.attempt.status = 'waiting'
      open.waitsSince = timeOfId(each.id)
    } else if (code === 'resumed') {
      open.attempt.status = 'running'
      endWait(open, timeOfId(each.id))
    }
  }
  return all
}

/** The attempts of tasks, as their logs have them, and what each has left. */
export const createAttemptReads = ({ store }: { store: Store }) => {
  const read = async (taskId: string) => {
    const task = existing(await store.get(tasks, taskId, true), 'Task')
    const logged = loggedAttempts(await store.log(tasks, taskId))
    const last = logged.at(-1)
    // A cancel is written before its run has ended, whose cost the row has.
    if (last?.attempt.status === 'cancelled' && task.attemptCost) last.attempt.cost ??= task.attemptCost
    return { task, logged }
  }

  const result = async (
    task: TaskRow,
    { attempt, endId }: LoggedAttempt,
    isLast: boolean,
  ): Promise<KeptResult | undefined> => {
    if (attempt.status === 'completed') return isLast && task.result ? keptResult(task.result) : undefined
    if (attempt.status !== 'failed' || endId === undefined) return undefined
    return (await store.get(attemptResults, [task.id, endId], true))?.result
  }

  /** The attempts of a task, the first one first. Throws Problem `missing`. */
  const attempts = async (taskId: string) => {
    const { logged } = await read(taskId)
    return { taskId, attempts: logged.map(({ attempt }) => attempt), count: logged.length }
  }

  /** An attempt with what it left. Throws Problem `missing`, also for an attempt of another task. */
  const attempt = async (taskId: string, attemptId: string) => {
    const { task, logged } = await read(taskId)
    const at = logged.findIndex((one) => one.attempt.id === attemptId)
    const found = existing(logged[at], 'Attempt')
    const left = await result(task, found, at === logged.length - 1)
    return { ...found.attempt, ...definedFields({ result: left }) }
  }

  return { attempts, attempt }
}
