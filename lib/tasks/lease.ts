import type { WaitState } from '../approvals/schema.ts'
import { approvalExpired } from '../core/approval-expiry.ts'
import { definedFields } from '../core/defined-fields.ts'
import { existing } from '../core/errors.ts'
import { questionIn } from '../core/question.ts'
import { iso } from '../core/time.ts'
import type { Feed } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { costFields } from './cost-counters.ts'
import { progressStream } from './read.ts'
import { resultBrief } from './result-brief.ts'
import { attemptResultInserts, continuationInserts, tasks } from './rows.ts'
import type {
  HeldPlaces,
  LeftByAttempt,
  QueuedWait,
  RunTask,
  Task,
  TaskError,
  TaskResult,
  TaskRow,
} from './schema.ts'
import { TokenUsageSchema } from './schema.ts'
import type { EventText, Transition, Transitions } from './transitions.ts'

/** Makes the dead letter of a failure; the same commit writes both. */
type MakeDeadLetter = (task: Task, eventId: string) => AnyWrite

/** A task that a worker has leased; its fencing token is the proof. */
type Leased = Task & Pick<TaskRow, 'fence' | 'leaseExpiresAt' | 'checkpoint' | 'refusals' | 'attemptCost'>

/** What a run leaves that waits for a decision. */
type Suspension = { checkpoint: object; message: string; approvals: readonly { approvalId: string }[] }

type Needs = {
  store: Store
  feed: Pick<Feed, 'append'>
  /** Called when a progress message is stored; absent where no agents run. */
  publishProgress?: (taskId: string) => void
  transitions: Transitions
  makeDeadLetter: MakeDeadLetter
  approvals: Pick<TaskApprovals, 'firstExpiry'>
  clock: Clock
  ids: Ids
  leaseMs: number
  longestDelayMs: number
  /** Whether a user is told of the ends of tasks: then the end sends a notice. */
  readsResults: (userId: string) => boolean
}

export type Lease = ReturnType<typeof createLease>

/** The lease of a task: a worker claims, renews and ends it. Every later write has the fencing token of the claim. */
export const createLease = (needs: Needs) => {
  const { store, feed, publishProgress, transitions, makeDeadLetter, approvals, clock, ids } = needs
  const { leaseMs, longestDelayMs } = needs
  const leaseEnd = () => clock.now() + leaseMs
  /** Marks the end of a task whose user is told of it. */
  const watchedEnd = ({ createdBy }: Pick<Task, 'createdBy'>) =>
    needs.readsResults(createdBy) ? ({ watched: true } as const) : {}

  /**
   * Resolves to the row, or undefined when the task is no longer leased under this token. The wait of a run ends too. An
   * attempt that does not go on leaves no checkpoint.
   */
  const applyLeased = async (
    leased: Leased,
    it: Omit<Transition, 'taskId' | 'from'> & { event: EventText },
    rows: readonly AnyWrite[] = [],
    goesOn = it.verb === 'suspend',
  ): Promise<TaskRow | undefined> => {
    const { id, fence, checkpoint, leaseExpiresAt, waitingFor } = leased
    const spent = goesOn ? presentCosts(leased) : endedCosts(leased, it.event)
    // The row of a suspended run may have been read without it.
    const hasCheckpoint = checkpoint !== undefined || leaseExpiresAt === undefined
    const { applied, row } = await transitions.apply(
      {
        ...it,
        taskId: id,
        from: 'in_progress',
        event: spent.event ?? it.event,
        when: { ...it.when, fence },
        set: { ...it.set, ...waitedUntil(leased, clock.now()), ...spent.set },
        unset: [
          ...(it.unset ?? []),
          ...(waitingFor === undefined ? [] : WAIT_FIELDS.filter((field) => it.set?.[field] === undefined)),
          'leaseExpiresAt',
          ...(spent.unset ?? []),
          ...(hasCheckpoint && !goesOn ? (['checkpoint'] as const) : []),
        ],
      },
      rows,
    )
    return applied ? row : undefined
  }

  const started = (
    { taskId, attempt, fence }: RunTask,
    runner: string | undefined,
    places: HeldPlaces | undefined,
  ): Transition => ({
    taskId,
    from: 'queued',
    verb: 'start',
    // A repeat of an earlier message may have the same attempt, since not each one is counted.
    when: { attempts: attempt - 1, ...(fence === undefined ? {} : { fence }) },
    add: { fence: 1, attempts: 1 },
    set: { leaseExpiresAt: leaseEnd(), ...definedFields({ runner, places }) },
    // Later attempts keep it; a redrive, which begins a new life, removes it.
    setIfAbsent: { startedAt: iso(clock.now()) },
    unset: [
      'nextAttemptAt',
      'sentAgainAt',
      ...(runner === undefined ? NO_RUNNER : []),
      ...(places === undefined ? NO_PLACES : []),
    ],
    event: { attempt, ...(runner !== undefined && { metadata: { runner } }) },
  })

  /** Continues an attempt that waited for a decision: the same number, a new fencing token. */
  const resumed = (row: TaskRow, attempt: number, runner: string | undefined): Transition => ({
    taskId: row.id,
    from: 'in_progress',
    verb: 'resume',
    when: { attempts: attempt, fence: row.fence, waitingFor: 'approval' },
    add: { fence: 1 },
    set: { leaseExpiresAt: leaseEnd(), ...waitedUntil(row, clock.now()), ...definedFields({ runner }) },
    unset: [...WAIT_FIELDS, ...(runner === undefined ? NO_RUNNER : [])],
    event: { attempt, message: 'Resumed after approval', metadata: { code: 'resumed' } },
  })

  /**
   * Leases a queued task for the attempt in a message, with a new fencing token. Resolves to undefined when there is
   * nothing to run: the task was cancelled or is claimed, or the message is a repeat. Throws Problem `missing`. `runner` is
   * the name of the runner that claims it, absent for a worker of the service; `places` are those that its run has.
   */
  const claim = async (
    message: RunTask,
    runner?: string,
    places?: HeldPlaces,
  ): Promise<TaskRow | undefined> => {
    if (message.resume) return claimWaiting(message, runner)
    const { applied, row } = await transitions.apply(started(message, runner, places))
    if (!applied) return void existing(row, 'Task')
    return row?.waitingFor === undefined ? row : endWait(row)
  }

  /** Ends the wait of a task that a repeated message started: a condition of each claim would cost more. */
  const endWait = async (row: TaskRow): Promise<TaskRow | undefined> => {
    const { applied, row: after } = await store.commit<TaskRow>(
      {
        update: tasks,
        key: row.id,
        when: { status: 'in_progress', fence: row.fence },
        set: waitedUntil(row, clock.now()),
        unset: WAIT_FIELDS,
      },
      [],
      true,
    )
    return applied ? after : undefined
  }

  /** Makes a queued task wait for a reason; changes nothing where the message is a repeat, or the task waits. */
  const wait = async (
    { taskId, attempt, fence }: RunTask,
    waiting: QueuedWait,
    rows: readonly AnyWrite[] = [],
  ): Promise<void> => {
    await transitions.apply(
      {
        taskId,
        from: 'queued',
        verb: 'wait',
        when: { attempts: attempt - 1, waitingFor: null, ...definedFields({ fence }) },
        set: beginsWait(waiting, clock.now()),
        unset: ['sentAgainAt'],
        event: { message: waiting.message, metadata: { code: `waiting_for_${waiting.reason}` } },
      },
      rows,
    )
  }

  /** Lets a queued task go on that waits: its message is sent. */
  const proceed = async (row: TaskRow): Promise<void> => {
    await transitions.apply({
      taskId: row.id,
      from: 'queued',
      verb: 'proceed',
      when: { fence: row.fence, waitingFor: row.waitingFor ?? null },
      set: waitedUntil(row, clock.now()),
      unset: [...WAIT_FIELDS, 'nextAttemptAt'],
      event: { metadata: { code: 'wait_over' } },
    })
  }

  /** Gives a queued task that waits a new end of its wait, as when a provider was asked and is held again. */
  const waitLonger = async ({ id, fence, waiting }: TaskRow, until: string): Promise<void> => {
    if (waiting === undefined) return
    await store.commit<TaskRow>({
      update: tasks,
      key: id,
      when: { status: 'queued', fence, waitingFor: waiting.reason },
      set: { waiting: { ...waiting, until }, nextAttemptAt: until },
    })
  }

  const claimWaiting = async (
    { taskId, attempt }: RunTask,
    runner: string | undefined,
  ): Promise<TaskRow | undefined> => {
    const waiting = existing(await store.get(tasks, taskId), 'Task')
    if (waiting.waitingFor !== 'approval') return undefined
    const { applied, row } = await transitions.apply(resumed(waiting, attempt, runner))
    return applied ? row : undefined
  }

  /** Renews the lease, and writes a progress event when there is a message. False when the task is no longer leased. */
  const renew = async (leased: Leased, message?: string): Promise<boolean> => {
    // The id is made before the write, so that progress sorts before the end of the run, however long storage takes.
    const eventId = ids.next('evt')
    const { applied } = await store.commit<TaskRow>({
      update: tasks,
      key: leased.id,
      when: { status: 'in_progress', fence: leased.fence },
      set: { leaseExpiresAt: leaseEnd(), ...presentCosts(leased).set },
    })
    if (applied && message !== undefined) await addProgress(leased, { id: eventId, message })
    return applied
  }

  /** Writes a progress event; one whose id is stored adds nothing. */
  const addProgress = async (
    { id: taskId, attempts: attempt }: Pick<Leased, 'id' | 'attempts'>,
    { id, message }: { id: string; message: string },
  ): Promise<void> => {
    await feed.append(progressStream(taskId), [{ type: 'progress', data: { message, attempt } }], { id })
    publishProgress?.(taskId)
  }

  /** Notes the cost of a run that was stopped by a cancel: its event shows that of the attempt, which the row keeps. */
  const keepCost = async (leased: Leased): Promise<void> => {
    if (leased.cost === undefined) return
    const when = { status: 'cancelled', fence: leased.fence } as const
    await store.commit<TaskRow>({
      update: tasks,
      key: leased.id,
      when,
      ...presentCosts(leased),
    })
  }

  /** Whether a task is still leased under the same fencing token. */
  const isLeased = async ({ id, fence }: Leased): Promise<boolean> => {
    const row = await store.get(tasks, id)
    return row?.status === 'in_progress' && row.fence === fence
  }

  const succeed = (leased: Leased, result: TaskResult, continuation?: object) =>
    applyLeased(
      leased,
      {
        verb: 'succeed',
        set: {
          result,
          ...definedFields({ brief: resultBrief(result), question: questionIn(result) }),
          completedAt: iso(clock.now()),
          ...reportedUsage(result),
          ...watchedEnd(leased),
        },
        unset: ['error'],
        event: { attempt: leased.attempts },
      },
      continuationInserts(leased, continuation),
    )

  /**
   * Queues the next attempt in `delayMs`; a delay that is too long for the queue makes the task pending. An attempt
   * that was refused before any work is not counted: its number is used again. One that has to wait for a reason waits
   * for that instead. What the attempt left stays until a later one leaves something.
   */
  const retry = (
    leased: Leased,
    error: TaskError,
    delayMs: number,
    {
      isCounted = true,
      waiting,
      result,
      continuation,
    }: LeftByAttempt & { isCounted?: boolean; waiting?: QueuedWait | undefined } = {},
  ) => {
    const metadata = { code: error.code, delayMs, ...(isCounted ? {} : { counted: false }) }
    const { refusals = 0 } = leased
    // A write without this field is cheaper.
    const counted = refusals > 0 ? { unset: ['refusals'] as const } : {}
    const change = {
      verb: delayMs > longestDelayMs && waiting === undefined ? 'defer' : 'retry',
      ...(isCounted ? counted : { add: { attempts: -1 } }),
      set: {
        error,
        ...definedFields({ result }),
        nextAttemptAt: iso(clock.now() + delayMs),
        ...(isCounted ? {} : { refusals: refusals + 1 }),
        ...(waiting && beginsWait(waiting, clock.now())),
      },
      event: { attempt: leased.attempts, message: error.message, metadata },
      eventId: ids.next('evt'),
    } as const
    return applyLeased(leased, change, [
      ...continuationInserts(leased, continuation),
      ...attemptResultInserts(leased.id, change.eventId, result),
    ])
  }

  /** Suspends a run until a person has decided: the task keeps its attempt and gives up its lease. */
  const suspend = async (leased: Leased, { checkpoint, message, approvals: waitsOn }: Suspension) => {
    const approvalIds = waitsOn.map(({ approvalId }) => approvalId)
    const until = await approvals.firstExpiry(approvalIds)
    const waiting = { reason: 'approval', since: iso(clock.now()), ...(until && { until }) } as const
    return applyLeased(leased, {
      verb: 'suspend',
      set: { waitingFor: waiting.reason, waiting, approvalIds, checkpoint },
      event: { attempt: leased.attempts, message, metadata: { code: 'waiting_for_approval' } },
    })
  }

  /** Notes what a run waits for that lives on meanwhile and keeps its lease. Resolves to undefined when that is lost. */
  const pause = async (leased: Leased, { message, approvals: waitsOn }: Omit<Suspension, 'checkpoint'>) => {
    const approvalIds = waitsOn.map(({ approvalId }) => approvalId)
    const until = await approvals.firstExpiry(approvalIds)
    const { since } = leased.waiting ?? { since: iso(clock.now()) }
    const waiting = { reason: 'approval', since, ...(until && { until }) } as const
    const { applied, row } = await transitions.apply({
      taskId: leased.id,
      from: 'in_progress',
      verb: 'suspend',
      when: { fence: leased.fence },
      set: { waitingFor: waiting.reason, waiting, approvalIds, leaseExpiresAt: leaseEnd() },
      event: { attempt: leased.attempts, message, metadata: { code: 'waiting_for_approval' } },
    })
    return applied ? row : undefined
  }

  /** Ends the wait of a run that has lived on. Resolves to undefined when its lease is lost. */
  const unpause = async (leased: Leased) => {
    const { applied, row } = await transitions.apply({
      taskId: leased.id,
      from: 'in_progress',
      verb: 'resume',
      when: { fence: leased.fence },
      set: { leaseExpiresAt: leaseEnd(), ...waitedUntil(leased, clock.now()) },
      unset: WAIT_FIELDS,
      event: {
        attempt: leased.attempts,
        message: 'The wait for approval is over',
        metadata: { code: 'resumed' },
      },
    })
    return applied ? row : undefined
  }

  /** Fails a task whose approval was not decided in time, with its dead letter, if it still waits. */
  const expire = async (waiting: TaskRow): Promise<void> => {
    const { code, message } = approvalExpired()
    await fail(waiting, { code, message }, { when: { waitingFor: 'approval' } })
  }

  /**
   * Returns a task to the queue without counting the attempt, when the worker stops. With `isUnbegun` its agent was not
   * called: a run that was to go on from a checkpoint does so in the next claim, first on the runner of this one.
   */
  const release = (leased: Leased, reason: string, { isUnbegun = false } = {}) => {
    const change = {
      verb: 'release',
      add: { attempts: -1 },
      ...(isUnbegun && leased.checkpoint && { set: definedFields({ home: leased.runner }) }),
      event: { attempt: leased.attempts, message: reason, metadata: { code: 'released' } },
    } as const
    return applyLeased(leased, change, [], isUnbegun)
  }

  /** What each failure of a task writes: the end of the task, its event and its dead letter. */
  const failure = (task: Task, error: TaskError) => {
    const eventId = ids.next('evt')
    const end = { error, completedAt: iso(clock.now()), ...watchedEnd(task) }
    const event = { message: error.message, metadata: { code: error.code } }
    return { end, event, eventId, letter: makeDeadLetter({ ...task, ...end }, eventId) }
  }

  /** Fails a task that has no more attempts, with its dead letter. A result of an earlier attempt stays where this one has none. */
  const fail = (
    leased: Leased,
    error: TaskError,
    { when = {}, result, continuation }: LeftByAttempt & { when?: Transition['when'] } = {},
  ) => {
    const { end, event: why, eventId, letter } = failure(leased, error)
    const event = { attempt: leased.attempts, ...why }
    const set = { ...end, ...(result && { result, ...reportedUsage(result) }) }
    const rows = [
      letter,
      ...continuationInserts(leased, continuation),
      ...attemptResultInserts(leased.id, eventId, result),
    ]
    return applyLeased(leased, { verb: 'fail', when, set, event, eventId }, rows)
  }

  /** Takes over a task whose lease ran out, with its attempt counted, if the lease has not changed since. */
  const recover = async (row: TaskRow): Promise<void> => {
    const message = `The process running attempt ${row.attempts} died or stalled`
    const error = { code: 'worker_lost', message }
    const when = definedFields({ leaseExpiresAt: row.leaseExpiresAt })
    if (row.attempts >= row.maxAttempts) return void (await fail(row, error, { when }))
    const event = { attempt: row.attempts, message, metadata: { code: error.code } }
    await applyLeased(row, { verb: 'recover', when, set: { error }, unset: ['checkpoint'], event })
  }

  /** Fails a task whose message the queue gave up before any claim. False when it does not wait for that message. */
  const markUndeliverable = async (
    { taskId, attempt, fence }: RunTask,
    error: TaskError,
  ): Promise<boolean> => {
    const row = await store.get(tasks, taskId)
    if (row?.status !== 'queued' || row.attempts !== attempt - 1) return false
    if (fence !== undefined && fence !== row.fence) return false
    const { end: set, event, eventId, letter } = failure(row, error)
    const when = { attempts: attempt - 1 }
    const unset = ['nextAttemptAt', 'sentAgainAt', ...WAIT_FIELDS] as const
    const { applied } = await transitions.apply(
      { taskId, from: 'queued', verb: 'undeliverable', when, set, unset, event, eventId },
      [letter],
    )
    return applied
  }

  const ends = {
    keepCost,
    succeed,
    retry,
    release,
    suspend,
    pause,
    unpause,
    expire,
    fail,
    recover,
    markUndeliverable,
  }
  return { claim, wait, proceed, waitLonger, renew, addProgress, isLeased, ...ends }
}

const NO_RUNNER = ['runner'] as const
const NO_PLACES = ['places'] as const

type CostWrite = Pick<Transition, 'set' | 'unset' | 'event'>

/** What a write sets of a task whose attempt goes on: the cost of both. */
const presentCosts = (leased: Leased): CostWrite => ({
  set: { ...costFields(leased), ...definedFields({ attemptCost: leased.attemptCost }) },
})

/** What the end of an attempt writes of the cost of both: the event tells that of the attempt. */
const endedCosts = (leased: Leased, event: EventText): CostWrite => {
  const { attemptCost: cost } = leased
  if (cost === undefined) return { set: costFields(leased) }
  return {
    set: costFields(leased),
    unset: ['attemptCost'],
    event: { ...event, metadata: { ...event.metadata, cost } },
  }
}

/** The usage that an agent reports, when it has the form that tasks show. */
const reportedUsage = ({ usage }: TaskResult) =>
  usage === undefined ? {} : definedFields({ usage: TokenUsageSchema.safeParse(usage).data })

/** The verbs of approvals that tasks call. */
export type TaskApprovals = {
  /** The state of all of them: `expired` if any has expired, `decided` once none is pending. */
  stateOfAll(approvalIds: readonly string[]): Promise<WaitState>
  /** When the first of them expires; undefined where none does. */
  firstExpiry(approvalIds: readonly string[]): Promise<string | undefined>
}

const hasOwnWords = ({ reason }: Pick<QueuedWait, 'reason'>) => reason === 'slot' || reason === 'runner'

/** The words of a wait for a slot or a runner are shown; those of the others follow from its other fields. */
const beginsWait = (
  { message, ...waiting }: QueuedWait,
  now: number,
): Pick<TaskRow, 'waitingFor' | 'waiting' | 'nextAttemptAt'> => ({
  waitingFor: waiting.reason,
  waiting: { ...waiting, since: iso(now), ...(hasOwnWords(waiting) && { message }) },
  ...definedFields({ nextAttemptAt: waiting.until }),
})

export const WAIT_FIELDS = ['waitingFor', 'waiting', 'approvalIds'] as const satisfies (keyof TaskRow)[]

/** What a write that ends the wait of a task sets: its waiting time up to `now`, where it has begun to run. */
export const waitedUntil = (
  { waiting, waitingMs = 0, startedAt }: TaskRow,
  now: number,
): Pick<TaskRow, 'waitingMs'> =>
  waiting === undefined || startedAt === undefined
    ? {}
    : { waitingMs: waitingMs + Math.max(0, now - Date.parse(waiting.since)) }
