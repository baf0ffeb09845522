import { isUtf8 } from 'node:buffer'
import { setImmediate as turn } from 'node:timers/promises'
import * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { beforeDeadline } from '../core/deadline.ts'
import { errorMessage, Invalid, invalid, issuesText, Problem } from '../core/errors.ts'
import { issueText } from '../core/issue-text.ts'
import { notJson, readJson } from '../core/json.ts'
import { type CutList, createListCutter } from '../core/json-list.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import { ImportBody, type ImportResults, MOST_IMPORTED } from './contract.ts'
import { costFields } from './cost-counters.ts'
import { OTHER_AGENTS } from './counters.ts'
import type { AgentChoice } from './create.ts'
import { isFinal } from './machine.ts'
import { tasks, ticketInserts, turnInserts } from './rows.ts'
import { StoredTaskSchema, type TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

/** The size limit of an item, as of the body of a create; also the limit of everything beside the tasks. */
const ITEM_LIMIT = 1_048_576
/** The size of a batch, after which other work gets a turn. */
const AT_ONCE = { items: 200, bytes: 262_144 }

/** Reads a file to its end, each task as its bytes. Throws Problem `too_large` `too_many_items`, and `invalid`. */
const listIn = async (pieces: AsyncIterable<Buffer>): Promise<CutList> => {
  const cutter = createListCutter('tasks', { mostItems: MOST_IMPORTED, mostBytesAround: ITEM_LIMIT })
  for await (const piece of pieces) cutter.push(piece)
  const cut = cutter.end()
  const text = utf8Text(cut.around)
  const body = parsed(ImportBody, text.trim() === '' ? {} : readJson(text))
  // The list is not cut out when its name is written with escapes.
  if (body.tasks.length > 0) throw invalid([{ path: 'tasks', message: 'must be written without escapes' }])
  return cut
}

/** Parses one item. Throws Problem `invalid` and `too_large`, by the rules of a request body. */
const itemIn = (bytes: Buffer): unknown => {
  if (bytes.length > ITEM_LIMIT) throw invalid([{ path: '', message: `is larger than ${ITEM_LIMIT} bytes` }])
  return readJson(utf8Text(bytes))
}

/** Throws Problem `invalid` with the issues in the form of every other answer. */
const parsed = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const { success, data, error } = schema.safeParse(value, { error: issueText })
  if (!success) throw invalid(error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
  return data
}

/** Yields small batches, so that the work on one does not block other requests. */
function* batches(items: Iterable<Buffer>): Generator<Buffer[]> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const item of items) {
    batch.push(item)
    bytes += item.length
    if (batch.length < AT_ONCE.items && bytes < AT_ONCE.bytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const utf8Text = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  return bytes.toString('utf8')
}

// Times are stored in one form of equal length, so that texts sort by time.
const time = z.iso.datetime().transform((text) => iso(Date.parse(text)))

/** Names of endpoints under `/api/tasks/`: a task with such an id could not be read. */
const TAKEN = new Set(['filter', 'analytics', 'export', 'import'])

/** It becomes part of the name of a workspace. */
const ImportedId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
    'must be 1 to 100 letters, digits, _ or -, and start with a letter or digit',
  )
  .refine((id) => !TAKEN.has(id), 'is the name of an endpoint')

/** A task of an export; absent fields are filled in. `createdBy` is not taken: a task acts with its rights. */
const ImportedTask = StoredTaskSchema.omit({ createdBy: true, waitingFor: true, waiting: true }).extend({
  id: ImportedId,
  agent: z.string().min(1).max(200).optional(),
  attempts: z.int().min(0).optional(),
  maxAttempts: z.int().min(1).max(100).optional(),
  createdAt: time,
  updatedAt: time.optional(),
  queuedAt: time.optional(),
  startedAt: time.optional(),
  completedAt: time.optional(),
  nextAttemptAt: time.optional(),
  waitingMs: z.int().min(0).optional(),
  threadId: ImportedId.optional(),
  parentId: ImportedId.optional(),
})

/** Reading and checking a file of 50 MiB takes long, even without tasks. */
const LIMIT = { name: 'import', calls: 30, windowMs: 60_000 }

/** Counts an import, also a refused one, for its user. Throws Problem `rate_limited`. */
export const createImportLimit =
  ({ limiter }: { limiter: Limiter }) =>
  async ({ userId }: Principal): Promise<void> => {
    const retryAfterMs = await limiter.take(LIMIT, userId)
    if (retryAfterMs > 0)
      throw new Problem('rate_limited', 'rate_limited', 'Too many imports. Try again in a minute.', {
        retryAfterMs,
      })
  }

type Needs = {
  transitions: Pick<Transitions, 'event' | 'commit'>
  agents: AgentChoice
  clock: Clock
  audit: (principal: Principal, action: string, details: object) => Promise<void>
  maxAttempts: () => number
}
type Results = z.output<typeof ImportResults>
type Outcome = 'imported' | 'skipped' | Results['errors'][number]

const MOST_ERRORS = 100
/** The longest lead of another service's clock. */
const AHEAD_MS = 86_400_000
/** The times of an export that must be in the past. */
const PAST = ['createdAt', 'updatedAt', 'queuedAt', 'startedAt', 'completedAt'] as const
const RETRY_MS = 5_000
/** The time limit of the upload: all other imports wait for it. */
const UPLOAD_MS = 60_000

export const createTaskImport = (needs: Needs) => {
  const { transitions, agents, clock, audit, maxAttempts } = needs
  let isUnderWay = false

  /** Ids and times are kept. A task that had ended is restored; any other is queued from the start. */
  const importedRow = async (
    principal: Principal,
    { threadId, parentId, ...task }: z.output<typeof ImportedTask>,
  ): Promise<TaskRow> => {
    const agent = task.agent ?? task.assignedAgent ?? agents.fallback
    const restored: TaskRow = {
      ...task,
      agent,
      ...((await agents.types()).includes(agent) ? {} : { countedAs: OTHER_AGENTS }),
      attempts: task.attempts ?? 0,
      maxAttempts: task.maxAttempts ?? maxAttempts(),
      createdBy: principal.userId,
      updatedAt: task.updatedAt ?? iso(clock.now()),
      fence: 0,
      ...costFields(task),
      // A task without a parent begins its thread.
      ...(threadId !== undefined && parentId !== undefined && { threadId, parentId }),
    }
    if (isFinal(task.status)) return restored
    const { startedAt: _1, completedAt: _2, nextAttemptAt: _3, waitingMs: _4, ...fresh } = restored
    return { ...fresh, status: 'queued', queuedAt: iso(clock.now()), attempts: 0 }
  }

  /** Throws Problem `invalid` for an invalid task, and for one with a time of the future: it would enter the statistics. */
  const checkedTask = (item: unknown): z.output<typeof ImportedTask> => {
    const task = parsed(ImportedTask, item)
    const late = PAST.filter((field) => Date.parse(task[field] ?? '') > clock.now() + AHEAD_MS)
    if (late.length > 0) throw invalid(late.map((path) => ({ path, message: 'must not be in the future' })))
    return task
  }

  const importOne = async (principal: Principal, bytes: Buffer, index: number): Promise<Outcome> => {
    let item: unknown
    try {
      item = itemIn(bytes)
      const row = await importedRow(principal, checkedTask(item))
      const event = transitions.event(row.status === 'queued' ? 'queued' : 'created', { message: 'imported' })
      const insert = { insert: tasks, row, log: [event] }
      return (await transitions.commit<TaskRow>(insert, [...ticketInserts(row), ...turnInserts(row)])).applied
        ? 'imported'
        : 'skipped'
    } catch (thrown) {
      return { index, ...itemId(item), message: errorMessage(withItemPath(thrown, index)) }
    }
  }

  const importItems = async (principal: Principal, items: Iterable<Buffer>): Promise<Results> => {
    const results: Results = { imported: 0, skipped: 0, errors: [] }
    let index = 0
    for (const batch of batches(items)) {
      const first = index
      const outcomes = await Promise.all(batch.map((item, n) => importOne(principal, item, first + n)))
      for (const outcome of outcomes) count(results, outcome)
      index += batch.length
      // A batch of refused items awaits no storage, so it yields here to other requests.
      await turn()
    }
    return results
  }

  /**
   * Restores an export. The whole file is read before anything is stored, so a file that is too large, or no export,
   * changes nothing. An existing id is skipped, an invalid task is reported. One import runs at a time, since each
   * holds its file in memory. Throws Problem `rate_limited` `import_under_way`, `invalid` `request_timeout` for an
   * upload of more than a minute, and the errors of the file.
   */
  return async (
    principal: Principal,
    pieces: AsyncIterable<Buffer>,
  ): Promise<Results & { total: number }> => {
    if (isUnderWay) throw underWay()
    isUnderWay = true
    try {
      const { items, count: total } = await listIn(beforeDeadline(pieces, UPLOAD_MS, clock, tooSlow))
      // An item would report a module of agents that cannot be loaded.
      await agents.types()
      // Recorded before the first write: an import that the death of the process interrupts is recorded too.
      await audit(principal, 'task.import', { tasks: total })
      return { ...(await importItems(principal, items())), total }
    } finally {
      isUnderWay = false
    }
  }
}

const count = (results: Results, outcome: Outcome): void => {
  if (typeof outcome === 'string') results[outcome] += 1
  else if (results.errors.length < MOST_ERRORS) results.errors.push(outcome)
  else results.moreErrors = (results.moreErrors ?? 0) + 1
}

const itemId = (item: unknown) =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string'
    ? { id: cutText(item.id, 128) }
    : {}

/** Names a field of an item as a create does, and an item as a whole by its index in the list. */
const withItemPath = (thrown: unknown, index: number): unknown =>
  thrown instanceof Invalid ? issuesText(thrown.issues, `tasks.${index}`) : thrown

const underWay = () =>
  new Problem('rate_limited', 'import_under_way', 'Another import is running. Try again when it is done', {
    retryAfterMs: RETRY_MS,
  })

const tooSlow = () =>
  new Problem('invalid', 'request_timeout', `The upload took longer than ${UPLOAD_MS / 1_000} seconds`)
