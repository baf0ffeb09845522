import { isDeepStrictEqual } from 'node:util'
import { readCounter, readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, existing, Problem } from '../core/errors.ts'
import { countedPage, type PageQuery, rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Insert, Store, Update } from '../ports/store.ts'
import type { DlqItem } from '../queue/schema.ts'
import type { Task } from '../tasks/schema.ts'
import {
  allEnded,
  type BulkFailureRow,
  type BulkPart,
  type BulkRow,
  bulkCounter,
  bulkFailures,
  bulkJobs,
  bulkParts,
  type Ended,
  NONE_ENDED,
  PART,
  sliceNumber,
  toBulkSummary,
} from './rows.ts'
import {
  type BulkDlq,
  type BulkFailure,
  type BulkJob,
  type BulkNotice,
  type BulkPreview,
  type BulkSummary,
  type BulkTasks,
  bulkResultCounters,
  type DlqSelection,
  KEEP_MS,
  MOST_FAILURES,
  MOST_ITEMS,
  type TaskSelection,
} from './schema.ts'

const SAMPLE = 10
/** A dry run by ids reads so many rows at the same time. */
const READ_AT_ONCE = 50
const LONGEST_ERROR = 300
const PLACE_DIGITS = 6
/** A job without a step for this long has lost its message; a failed message comes again within five minutes. */
const STILL_MS = 600_000
const MOST_JOBS = 100

type TaskSummary = Pick<Task, 'id' | 'title' | 'status'>

/** The verbs of tasks that jobs call: `along` are rows of the same commit as the effect. */
type BulkTaskVerbs = {
  cancel(principal: Principal, id: string, along: readonly AnyWrite[]): Promise<unknown>
  /** Refuses a task that was retried `since` a time. The end of the new task counts for the job. */
  retry(
    principal: Principal,
    id: string,
    trace: Trace | undefined,
    options: { along: readonly AnyWrite[]; since: string | undefined; bulkJobId: string },
  ): Promise<unknown>
  allows(status: Task['status'], action: BulkTasks['action']): boolean
  summary(id: string): Promise<TaskSummary | undefined>
  selection: SelectedItems<TaskSelection, TaskSummary, string>
}

/** A selection's rows and items, see `createSelection`. */
type SelectedItems<Selection, Row, Item> = {
  preview(selection: Selection, sample: number): Promise<{ rows: readonly Row[]; count: number }>
  items(selection: Selection, most: number): Promise<Item[]>
}

/** The verbs of dead letters that jobs call. */
type BulkLetterVerbs = {
  /** The next end of its task counts for the job. */
  retry(
    principal: Principal,
    id: string,
    cause: { trace: Trace | undefined; bulkJobId: string },
    along: readonly AnyWrite[],
  ): Promise<unknown>
  discard(id: string, along: readonly AnyWrite[]): Promise<unknown>
  find(id: string): Promise<DlqItem | undefined>
  selection: SelectedItems<DlqSelection, DlqItem, Pick<DlqItem, 'id' | 'taskId'>>
}

type Needs = {
  store: Store
  tasks: BulkTaskVerbs
  deadLetters: BulkLetterVerbs
  clock: Clock
  ids: Ids
  log: Pick<Log, 'warn'>
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

/** The items of a job, and their selection for the audit record. `unretriedSince` is that of the job's row. */
type Selection = { ids: readonly string[]; by: object; unretriedSince?: string }
type JobRequest = Pick<BulkSummary, 'target' | 'action'> & { trace?: Trace | undefined }

export type Bulk = ReturnType<typeof createBulk>

/** One action on many tasks or dead letters, as a job that continues after its request and after a restart. */
export const createBulk = ({ store, tasks, deadLetters, clock, ids, log, audit }: Needs) => {
  const withFailures = async (row: BulkRow): Promise<BulkJob> => {
    const query = { index: 'ofJob', is: row.id, order: 'asc', limit: MOST_FAILURES } as const
    const { rows } = row.failed === 0 ? { rows: [] } : await store.page(bulkFailures, query)
    return { ...toBulkSummary(row), failures: rows.map(failureIn) }
  }

  /** How many tasks of a retry have ended by now; undefined for any other job. */
  const endedTasks = async ({ id, ended }: BulkRow): Promise<Ended | undefined> => {
    if (ended === undefined) return undefined
    const { counter } = bulkResultCounters(id)
    const { completed = 0, failed = 0, cancelled = 0 } = await readCounter(store, counter)
    return { completed, failed, cancelled }
  }

  const withResults = async (row: BulkRow): Promise<BulkRow> => {
    const isSettled = row.ended === undefined || allEnded(row.done, row.ended)
    const ended = isSettled ? undefined : await endedTasks(row)
    return ended === undefined ? row : { ...row, ended }
  }

  /** Stores how many tasks of a retry have ended, and ends the job with the last of them. */
  const follow = async (row: BulkRow): Promise<BulkRow> => {
    const ended = (await endedTasks(row)) ?? NONE_ENDED
    const isOver = allEnded(row.done, ended)
    if (!isOver && isDeepStrictEqual(ended, row.ended)) return row
    const { row: stored } = await store.commit<BulkRow>({
      update: bulkJobs,
      key: row.id,
      when: FOLLOWING,
      set: { ended, ...(isOver ? { status: 'completed' as const, endedAt: iso(clock.now()) } : {}) },
    })
    return stored ?? row
  }

  /** Follows the tasks of each job that has handled its items: one counter is read a job, however many tasks it has. */
  const followAll = async (): Promise<void> => {
    const query = { index: 'byStatus', is: 'following', order: 'asc', limit: MOST_JOBS } as const
    for await (const rows of rowPages((from) => store.page(bulkJobs, { ...query, ...from })))
      for (const row of rows) await follow(row)
  }

  /** The jobs of a user, newest first, without their failures. */
  const list = async ({ userId }: Principal, query: PageQuery) => {
    const { rows, facts } = await countedPage(query, `bulk:${userId}`, {
      page: (range) => store.page(bulkJobs, { index: 'ofUser', is: userId, order: 'desc', ...range }),
      count: () => readRowCount(store, bulkCounter(userId)),
    })
    return { jobs: (await Promise.all(rows.map(withResults))).map(toBulkSummary), ...facts }
  }

  /** Stores the items, then the job, whose first message starts it. */
  const start = async (
    principal: Principal,
    { target, action, trace }: JobRequest,
    { ids: items, by, unretriedSince }: Selection,
  ): Promise<BulkJob> => {
    if (items.length > MOST_ITEMS) throw tooMany()
    const now = clock.now()
    const id = ids.next('bulk')
    const expiresAt = now + KEEP_MS
    const isEmpty = items.length === 0
    const row: BulkRow = {
      id,
      target,
      action,
      status: isEmpty ? 'completed' : 'running',
      total: items.length,
      done: 0,
      failed: 0,
      createdBy: principal.userId,
      createdAt: iso(now),
      ...(isEmpty ? { endedAt: iso(now) } : {}),
      at: 0,
      role: principal.role,
      expiresAt,
      ...definedFields({ trace, unretriedSince }),
      ...(action === 'retry' ? { ended: NONE_ENDED } : {}),
    }
    const parts = Array.from({ length: Math.ceil(items.length / PART) }, (_, part): BulkPart => {
      const some = items.slice(part * PART, (part + 1) * PART)
      return { jobId: id, part: String(part), ids: some, expiresAt }
    })
    await Promise.all(parts.map((part) => store.commit<BulkPart>({ insert: bulkParts, row: part })))
    await store.commit<BulkRow>({ insert: bulkJobs, row })
    await audit(principal, 'bulk.start', { id, target, action, total: items.length, ...by })
    return withFailures(row)
  }

  /** One item more than a job may have, so that too many are noticed. */
  const MOST_READ = MOST_ITEMS + 1

  const selectedTasks = async ({ ids: idList, filter = {} }: BulkTasks): Promise<Selection> => {
    // The time before the selection: a retry between the two counts as one by another request.
    const unretriedSince = iso(clock.now())
    if (idList !== undefined) return { ids: [...new Set(idList)], by: {}, unretriedSince }
    const { fingerprint, limit, retried } = filter
    if (fingerprint === undefined) {
      const ids = await tasks.selection.items(filter, MOST_READ)
      return { ids, by: { filter }, unretriedSince: retried === false ? NEVER_RETRIED : unretriedSince }
    }
    const letters = await deadLetters.selection.items({ fingerprint, limit }, MOST_READ)
    const ids = [...new Set(letters.map(({ taskId }) => taskId))]
    return { ids, by: { filter }, unretriedSince: NEVER_RETRIED }
  }

  const selectedLetters = async ({ ids: idList, filter = {} }: BulkDlq): Promise<Selection> => {
    if (idList !== undefined) return { ids: [...new Set(idList)], by: {} }
    const letters = await deadLetters.selection.items(filter, MOST_READ)
    return { ids: letters.map(({ id }) => id), by: { filter } }
  }

  /** The items that `startTasks` would select. Of ids those count whose task exists in a state that the action fits. */
  const previewTasks = async ({ ids: idList, action, filter = {} }: BulkTasks): Promise<BulkPreview> => {
    if (idList !== undefined) {
      const rows = await readAll(idList, tasks.summary)
      const fitting = rows.filter(({ status }) => tasks.allows(status, action))
      return { count: fitting.length, sample: sample(fitting) }
    }
    const { fingerprint, limit } = filter
    if (fingerprint === undefined) {
      const { rows, count } = await tasks.selection.preview(filter, SAMPLE)
      return { count, sample: sample(rows) }
    }
    const { rows, count } = await deadLetters.selection.preview({ fingerprint, limit }, SAMPLE)
    const ids = rows.map(({ taskId }) => taskId)
    return { count, sample: sample(await readAll(ids, tasks.summary)) }
  }

  /** The items that `startDlq` would select. Of ids those count whose dead letter exists and is pending. */
  const previewLetters = async ({ ids: idList, filter = {} }: BulkDlq): Promise<BulkPreview> => {
    if (idList === undefined) {
      const { rows, count } = await deadLetters.selection.preview(filter, SAMPLE)
      return { count, sample: sample(rows) }
    }
    const fitting = (await readAll(idList, deadLetters.find)).filter(({ status }) => status === 'pending')
    return { count: fitting.length, sample: sample(fitting) }
  }

  const act = (row: BulkRow, id: string, along: readonly AnyWrite[]): Promise<unknown> => {
    const principal: Principal = { userId: row.createdBy, role: row.role }
    if (row.target === 'dlq')
      return row.action === 'discard'
        ? deadLetters.discard(id, along)
        : deadLetters.retry(principal, id, { trace: row.trace, bulkJobId: row.id }, along)
    return row.action === 'cancel'
      ? tasks.cancel(principal, id, along)
      : tasks.retry(principal, id, row.trace, { along, since: row.unretriedSince, bulkJobId: row.id })
  }

  /** The step past an item; it applies while the job runs and is at this item. */
  const stepUpdate = (row: BulkRow, what: 'done' | 'failed'): Update<BulkRow> => {
    const { id, at, total, done, ended } = row
    const isLast = at + 1 === total
    const hasTasks = ended !== undefined && (what === 'done' || done > 0)
    const over = hasTasks ? FOLLOWING : { status: 'completed' as const, endedAt: iso(clock.now()) }
    return {
      update: bulkJobs,
      key: id,
      when: { at, status: 'running' },
      set: { at: at + 1, movedAt: iso(clock.now()), ...(isLast ? over : {}) },
      add: { [what]: 1 },
    }
  }

  const failureRow = ({ id: jobId, at, expiresAt }: BulkRow, id: string, thrown: unknown): BulkFailureRow => {
    const place = String(at).padStart(PLACE_DIGITS, '0')
    if (thrown instanceof Problem)
      return { jobId, place, id, error: errorMessage(thrown, LONGEST_ERROR), code: thrown.code, expiresAt }
    log.warn({ jobId, itemId: id, reason: errorMessage(thrown) }, 'an item of a bulk job failed')
    return { jobId, place, id, error: 'Internal error', code: 'internal_error', expiresAt }
  }

  /** The insert of a failure with the title of its task; without it where that cannot be read, which must not stop the job. */
  const listed = async ({ target }: BulkRow, row: BulkFailureRow): Promise<Insert<BulkFailureRow>> => {
    const find = target === 'tasks' ? tasks.summary : deadLetters.find
    const item = await find(row.id).catch((error: unknown) => {
      log.warn({ jobId: row.jobId, itemId: row.id, reason: errorMessage(error) }, 'a title could not be read')
      return undefined
    })
    return { insert: bulkFailures, row: item === undefined ? row : { ...row, title: item.title } }
  }

  /** Handles the next item and steps past it. Rejects with Problem `unavailable` or `rate_limited` to try it again. */
  const handle = async (row: BulkRow, id: string): Promise<void> => {
    try {
      await act(row, id, [stepUpdate(row, 'done')])
    } catch (thrown) {
      if (thrown instanceof Problem && PASSING.has(thrown.kind)) throw thrown
      const failure = failureRow(row, id, thrown)
      const isListed = row.failed < MOST_FAILURES
      await store.commit<BulkRow>(stepUpdate(row, 'failed'), isListed ? [await listed(row, failure)] : [])
    }
  }

  const partAt = async ({ id, at }: BulkRow): Promise<readonly string[]> => {
    const part = await store.get(bulkParts, [id, String(Math.floor(at / PART))])
    if (part === undefined) throw new Error(`The items of bulk job ${id} from item ${at} on are missing`)
    return part.ids
  }

  /** Cancels or retries tasks. Throws Problem `too_large` for too many items, `invalid` as the filter does. */
  const startTasks = async (principal: Principal, body: BulkTasks, trace?: Trace): Promise<BulkJob> =>
    start(principal, { target: 'tasks', action: body.action, trace }, await selectedTasks(body))

  /** Retries or discards dead letters. Throws as `startTasks` does. */
  const startDlq = async (principal: Principal, body: BulkDlq, trace?: Trace): Promise<BulkJob> =>
    start(principal, { target: 'dlq', action: body.action, trace }, await selectedLetters(body))

  /** Handles the items of one slice from the present one on. A late or repeated message does nothing. */
  const runSlice = async ({ jobId, from }: Pick<BulkNotice, 'jobId' | 'from'>): Promise<void> => {
    let row = await store.get(bulkJobs, jobId)
    if (row === undefined || row.status !== 'running' || sliceNumber(row.at) !== sliceNumber(from)) return
    const items = await partAt(row)
    while (row?.status === 'running' && sliceNumber(row.at) === sliceNumber(from)) {
      await handle(row, items[row.at % PART] as string)
      row = await store.get(bulkJobs, jobId)
    }
  }

  /** Ends a running job; tasks that it queued go on. An ended job is answered unchanged. */
  const cancel = async (principal: Principal, id: string): Promise<BulkJob> => {
    const when = { status: ['running', 'following'] as const }
    const set = { status: 'cancelled' as const, endedAt: iso(clock.now()) }
    const outcome = await store.commit<BulkRow>({ update: bulkJobs, key: id, when, set })
    const row = existing(outcome.row, 'Bulk job')
    const { done, failed } = row
    if (outcome.applied) await audit(principal, 'bulk.cancel', { id, done, failed })
    return withFailures(await withResults(row))
  }

  /**
   * Repeats the message of each running job without a step for 10 minutes: the change feed may have skipped it. Of
   * two messages of a slice only one handles each item.
   */
  const resend = async (): Promise<void> => {
    const query = { index: 'byStatus', is: 'running', order: 'asc', limit: MOST_JOBS } as const
    const { rows } = await store.page(bulkJobs, query)
    const still = iso(clock.now() - STILL_MS)
    for (const { id, at, createdAt, movedAt = createdAt } of rows)
      if (movedAt < still)
        await store.commit<BulkRow>({
          update: bulkJobs,
          key: id,
          when: { at, status: 'running' as const },
          set: { movedAt: iso(clock.now()) },
          add: { resent: 1 },
        })
  }

  return {
    startTasks,
    startDlq,
    previewTasks,
    previewLetters,
    runSlice,
    resend,
    cancel,
    list,
    followAll,
    /** A job whose tasks are followed is looked at first, so that its reader does not wait for the tick. */
    get: async (id: string): Promise<BulkJob> => {
      const row = existing(await store.get(bulkJobs, id), 'Bulk job')
      return withFailures(await (row.status === 'following' ? follow(row) : withResults(row)))
    },
  }
}

const failureIn = ({ id, title, error, code }: BulkFailureRow): BulkFailure => ({
  id,
  ...definedFields({ title }),
  error,
  code,
})

const FOLLOWING = { status: 'following' } as const

/** The start of time: a task that was ever retried is refused. */
const NEVER_RETRIED = ''

/** Temporary errors: the item is tried again. */
const PASSING: ReadonlySet<Problem['kind']> = new Set(['unavailable', 'rate_limited'])

/** The existing ones, each once. Throws Problem `too_large` for more than a job may have. */
const readAll = async <T>(
  idList: readonly string[],
  find: (id: string) => Promise<T | undefined>,
): Promise<T[]> => {
  const ids = [...new Set(idList)]
  if (ids.length > MOST_ITEMS) throw tooMany()
  const items: T[] = []
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const some = await Promise.all(ids.slice(at, at + READ_AT_ONCE).map(find))
    items.push(...some.filter((one) => one !== undefined))
  }
  return items
}

const sample = (rows: readonly (TaskSummary | DlqItem)[]): BulkPreview['sample'] =>
  rows.slice(0, SAMPLE).map(({ id, title, status, ...item }) => ({
    id,
    title,
    status,
    ...('taskId' in item && { taskId: item.taskId }),
  }))

const tooMany = () =>
  new Problem(
    'too_large',
    'bulk_too_large',
    `More than ${MOST_ITEMS.toLocaleString('en')} items are selected, the maximum for one job. Narrow the filter, for example by createdAfter and createdBefore, or set a limit`,
  )
