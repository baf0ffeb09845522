import { readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, existing, missing, Problem, withPathPrefix } from '../core/errors.ts'
import { countedPage, type PageQuery, rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { refuseLost, truncatedIn } from '../core/truncated.ts'
import { CORRECTED, createStepWatch, tooLateFrom } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Insert, Outcome, Store, Update } from '../ports/store.ts'
import type { CreateTask, Task, TaskRow } from '../tasks/schema.ts'
import { nextRun, nextRuns } from './cron.ts'
import { SCHEDULE_COUNTER, type ScheduleRow, schedules } from './rows.ts'
import type { ChangeSchedule, CreateSchedule, Preview, Schedule } from './schema.ts'

/** The verbs of tasks that schedules call. */
type ScheduledTasks = {
  checkRepository(principal: Principal, body: Pick<CreateTask, 'repository'>): Promise<void>
  checkAgent(body: Pick<CreateTask, 'assignedAgent'>): Promise<unknown>
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id: string; trace?: Trace | undefined },
  ): Promise<{ task: Task; write: Insert<TaskRow>; rows: readonly AnyWrite[] }>
  /** The task without its detail; undefined when it does not exist. */
  summary(id: string): Promise<Pick<Task, 'status' | 'waitingFor'> | undefined>
  /** Commits as storage does, and logs the new task. */
  commit: Store['commit']
}

type CommitWithCount = (count: AnyWrite) => Promise<Outcome<ScheduleRow>>
/** Commits the insert or removal of a schedule together with their number, and refuses an insert at the limit. */
type ScheduleLimit = {
  insert(commit: CommitWithCount): Promise<void>
  remove(commit: CommitWithCount): Promise<Outcome<ScheduleRow>>
}

type Needs = {
  store: Store
  tasks: ScheduledTasks
  clock: Clock
  limit: ScheduleLimit
  ids: Ids
  log: Log
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

export const MOST_SCHEDULES = 1_000
const AHEAD = 5
const AT_ONCE = 20
const MOST_TRIES = 20

export type Schedules = ReturnType<typeof createSchedules>

/** Schedules belong to the whole installation, as tasks do. */
export const createSchedules = ({ store, tasks, limit, clock, ids, log, audit }: Needs) => {
  const mayHaveStepped = createStepWatch(clock)
  const load = async (id: string): Promise<ScheduleRow> =>
    existing(await store.get(schedules, id, true), 'Schedule')

  const refuseTask = async (principal: Principal, task: CreateTask): Promise<void> => {
    try {
      await tasks.checkAgent(task)
      await tasks.checkRepository(principal, task)
    } catch (thrown) {
      throw withPathPrefix('task', thrown)
    }
  }

  /** Throws Problem `invalid` for an invalid task, and beyond the limit of schedules. */
  const create = async (principal: Principal, { task, ...fields }: CreateSchedule): Promise<Schedule> => {
    await refuseTask(principal, task)
    const now = clock.now()
    const row: ScheduleRow = {
      id: ids.next('sched'),
      ...fields,
      ...split(task),
      ...timed(fields, now),
      createdAt: iso(now),
      updatedAt: iso(now),
      createdBy: principal.userId,
      runsAs: principal.userId,
      revision: 1,
    }
    await limit.insert((count) => store.commit<ScheduleRow>({ insert: schedules, row }, [count]))
    await audit(principal, 'schedule.create', auditDetails(row))
    return toSchedule(row)
  }

  const listed = async (row: ScheduleRow) => {
    const task = row.lastTaskId === undefined ? undefined : await tasks.summary(row.lastTaskId)
    if (task === undefined) return toListedSchedule(row)
    const lastTask = { status: task.status, ...definedFields({ waitingFor: task.waitingFor }) }
    return { ...toListedSchedule(row), lastTask }
  }

  const list = async (query: PageQuery) => {
    const { rows, facts } = await countedPage(query, 'schedules', {
      page: (range) => store.page(schedules, { index: 'newest', order: 'desc', ...range }),
      count: () => readRowCount(store, SCHEDULE_COUNTER),
    })
    return { schedules: await Promise.all(rows.map(listed)), ...facts }
  }

  const get = async (id: string) => {
    const row = await load(id)
    const { cron, timezone, nextRunAt: first } = row
    if (first === undefined) return { schedule: toSchedule(row), nextRuns: [] }
    const later = nextRuns(cron, timezone, Date.parse(first), AHEAD - 1)
    return { schedule: toSchedule(row), nextRuns: [first, ...later] }
  }

  const preview = ({ cron, timezone }: Preview) => ({
    nextRuns: nextRuns(cron, timezone, clock.now(), AHEAD),
  })

  /**
   * Changes the given fields. An unchanged due time stays. A change of the task makes the caller the user whom it runs
   * as: no task may use the accounts of a user who did not ask for it.
   */
  const change = async (principal: Principal, id: string, fields: ChangeSchedule): Promise<Schedule> => {
    if (fields.task !== undefined) await refuseTask(principal, fields.task)
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const update = changeUpdate(await load(id), principal, fields, clock.now())
      const { applied, row } = await store.commit(update, [], true)
      if (!applied || row === undefined) continue
      await audit(principal, 'schedule.change', auditDetails(row))
      return toSchedule(row)
    }
    throw new Problem('unavailable', 'schedule_contended', 'Someone else changed the schedule. Try again', {
      retryAfterMs: 1_000,
    })
  }

  const remove = async (principal: Principal, id: string): Promise<void> => {
    const { applied, row } = await limit.remove((count) =>
      store.commit<ScheduleRow>({ remove: schedules, key: id }, [count]),
    )
    if (!applied || row === undefined) throw missing('Schedule')
    await audit(principal, 'schedule.delete', auditDetails(row))
  }

  /** A task of a schedule, and the schedule's fields about it. */
  const taskDraft = async (row: ScheduleRow, principal: Principal, trace?: Trace) => {
    refuseLost(
      toSchedule(row),
      ['task'],
      'The task of this schedule is no longer stored. Edit the schedule and save its task',
    )
    const body = { ...row.task, ...row.heavyTask, source: SOURCE, sourceId: row.task.sourceId ?? row.id }
    const { task, write, rows } = await tasks.draft(principal, body, { id: ids.next('task'), trace })
    return { task, writes: [write, ...rows], ran: { lastRunAt: iso(clock.now()), lastTaskId: task.id } }
  }

  /** Creates the task now; due times stay. Throws Problem `invalid` when the task has become invalid. */
  const runNow = async (principal: Principal, id: string, trace?: Trace): Promise<Task> => {
    const { task, writes, ran } = await taskDraft(await load(id), principal, trace)
    const update = { update: schedules, key: id, set: ran, unset: ['lastError'] } as const
    const { applied } = await tasks.commit<ScheduleRow>(update, writes)
    if (!applied) throw missing('Schedule')
    return task
  }

  /**
   * Runs a due schedule. The task and the next due time are one commit, which is refused if the schedule has changed since
   * the read: a due time makes one task. Due times that passed while no process ran are one run.
   */
  const runDue = async ({ id, nextRunAt: dueAt }: Pick<ScheduleRow, 'id' | 'nextRunAt'>): Promise<void> => {
    const row = await store.get(schedules, id, true)
    if (row === undefined || dueAt === undefined || row.nextRunAt !== dueAt) return
    const nextRunAt = nextRun(row.cron, row.timezone, clock.now())
    const move = { update: schedules, key: id, when: { nextRunAt: dueAt, revision: row.revision } }
    const set = definedFields({ nextRunAt })
    const unset = nextRunAt === undefined ? (['nextRunAt'] as const) : []
    try {
      const { writes, ran } = await taskDraft(row, { userId: row.runsAs, role: 'user' })
      const update = { ...move, set: { ...set, ...ran }, unset: ['lastError', ...unset] } as const
      await tasks.commit<ScheduleRow>(update, writes)
    } catch (thrown) {
      if (!(thrown instanceof Problem && thrown.kind === 'invalid')) throw thrown
      const lastError = { code: thrown.code, message: errorMessage(thrown, 500) }
      log.warn({ scheduleId: id, reason: lastError.message }, 'a schedule made no task')
      await store.commit<ScheduleRow>({ ...move, set: { ...set, lastError }, unset })
    }
  }

  /** Computes due times anew that were stored under a clock ahead. */
  const correctDueTimes = async (): Promise<void> => {
    const now = clock.now()
    const ahead = { index: 'due', order: 'desc', limit: AT_ONCE } as const
    const where = [{ field: 'nextRunAt' as const, from: tooLateFrom(now) }]
    for await (const rows of rowPages((from) => store.page(schedules, { ...ahead, where, ...from })))
      for (const { id, cron, timezone, revision, nextRunAt = '' } of rows) {
        const next = nextRun(cron, timezone, now)
        // Of another process whose clock is a little ahead, the due time may be a later one.
        if (next === undefined || nextRunAt <= (nextRun(cron, timezone, Date.parse(tooLateFrom(now))) ?? ''))
          continue
        const write = { update: schedules, key: id, when: { nextRunAt, revision }, set: { nextRunAt: next } }
        const { applied } = await store.commit<ScheduleRow>(write)
        if (applied) log.warn({ scheduleId: id, before: nextRunAt, nextRunAt: next }, CORRECTED)
      }
  }

  /** Runs all due schedules. A schedule that fails is logged, and is due again at the next call. */
  const runAllDue = async (): Promise<void> => {
    if (mayHaveStepped()) await correctDueTimes()
    const where = [{ field: 'nextRunAt' as const, to: iso(clock.now()) }]
    const due = { index: 'due', order: 'asc', where, limit: AT_ONCE } as const
    for await (const rows of rowPages((from) => store.page(schedules, { ...due, ...from })))
      await Promise.all(
        rows.map((row) =>
          runDue(row).catch((thrown) =>
            log.warn({ scheduleId: row.id, reason: errorMessage(thrown) }, 'a schedule was not run'),
          ),
        ),
      )
  }

  return { create, list, preview, get, change, remove, runNow, runAllDue }
}

export const tooManySchedules = () =>
  new Problem(
    'invalid',
    'too_many_schedules',
    `There are ${MOST_SCHEDULES} schedules, which is the limit. Delete one first`,
  )

/** The write of a change, on condition that neither the schedule nor its due time has changed since the read. */
const changeUpdate = (
  row: ScheduleRow,
  { userId }: Principal,
  { task, ...fields }: ChangeSchedule,
  nowMs: number,
): Update<ScheduleRow> => {
  const changed = { ...row, ...fields }
  const isTimed = TIMED.some((field) => changed[field] !== row[field])
  const { nextRunAt } = isTimed ? timed(changed, nowMs) : row
  return {
    update: schedules,
    key: row.id,
    when: { revision: row.revision, nextRunAt: row.nextRunAt ?? null },
    set: {
      ...fields,
      ...(task && { ...split(task), runsAs: userId }),
      updatedAt: iso(nowMs),
      revision: row.revision + 1,
      ...definedFields({ nextRunAt }),
    },
    ...(nextRunAt === undefined ? { unset: ['nextRunAt'] } : {}),
  }
}

/** The `source` of every task of a schedule; a `source` in its template has no effect. */
const SOURCE = 'cron' as const

const TIMED = ['cron', 'timezone', 'enabled'] as const
type Timed = Pick<Schedule, (typeof TIMED)[number]>

const timed = ({ cron, timezone, enabled }: Timed, nowMs: number) =>
  definedFields({ nextRunAt: enabled ? nextRun(cron, timezone, nowMs) : undefined })

const split = ({ description, prompt, metadata, ...task }: CreateTask) => ({
  task: { ...task, source: SOURCE },
  heavyTask: definedFields({ description, prompt, metadata }),
})

const toSchedule = ({ heavyTask, revision: _revision, ...row }: ScheduleRow): Schedule => ({
  ...row,
  task: { ...row.task, ...heavyTask },
  ...truncatedIn(row, { heavyTask: 'task' }),
})

const toListedSchedule = ({ heavyTask: _heavy, runsAs: _runsAs, revision: _revision, ...row }: ScheduleRow) =>
  row

const auditDetails = ({ id, name, cron, timezone, enabled }: ScheduleRow) => ({
  id,
  name,
  cron,
  timezone,
  enabled,
})
