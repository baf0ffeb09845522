import { type Backoff, backoffMs } from '../core/backoff.ts'
import { errorMessage } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { lostFields, lostText } from '../core/truncated.ts'
import type { AgentAdapter, AgentContext } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Tracing } from '../ports/tracing.ts'
import { publicTask, type RunTask, TASK_DEFINITION, type Task, type TaskResult } from '../tasks/schema.ts'
import { createLeasedRuns, type Leased, type LeasedRun, type LeaseWrites } from './active.ts'
import type { Gate } from './gate.ts'
import { createRunner, type Ended, failedRun } from './run.ts'
import { createSlots, type Slot } from './slots.ts'
import { createAttemptSpans } from './spans.ts'

type RetryPolicy = Pick<Backoff, 'baseMs' | 'type'>
type FailedRun = Extract<Ended, { kind: 'failed' }>
type SucceededRun = Extract<Ended, { kind: 'succeeded' }>

/** The longest backoff after refused attempts: soon after the end of a long refusal, the task is tried. */
const LONGEST_REFUSAL_MS = 300_000

type FinishNeeds = {
  lease: LeaseWrites
  /** Whether an attempt may begin. */
  gate: Gate
  retryPolicy: () => RetryPolicy
  random: () => number
  clock: Clock
  log: Log
  /** Called with the outcome of a task after it is stored; never rejects. */
  learn: (task: Task, result: TaskResult) => Promise<void>
  /** Withdraws the approvals of a task that has ended. */
  withdrawIfOver: (task: Pick<Task, 'id' | 'createdBy'>) => Promise<void>
}

type Needs = FinishNeeds &
  Parameters<typeof createLeasedRuns>[0] &
  Parameters<typeof createRunner>[0] & {
    agent: (type: string) => Promise<AgentAdapter | undefined>
    /** The workspace of a run, and the earlier turns of its thread. */
    place: (task: Leased, resumes: boolean) => Promise<Pick<AgentContext, 'workspace' | 'earlier'>>
    /** The most runs of all queues together. */
    mostRuns: number
    tracing: Tracing
  }

/** The most ends that may wait for their write; beyond this, a slot waits for the write of its own run. */
const MOST_FINISHING = 256

/** Claims tasks when a slot is free, runs their agents and writes outcomes; the slot is free before the write ends. */
export const createWorker = (needs: Needs) => {
  const { lease, gate, mostRuns, log, active } = needs
  const slots = createSlots(mostRuns)
  const leased = createLeasedRuns(needs)
  const execute = createRunner(needs)
  const finish = createFinishRun(needs)
  const inAttempt = createAttemptSpans(needs.tracing)
  /** The runs that go on without their call, and the ends that are not written. */
  let away = 0
  let finishing = 0
  const idle: (() => void)[] = []

  const runAgent = async (run: LeasedRun, slot: Slot, message: RunTask): Promise<Ended> => {
    const { task } = run
    const isResumed = message.resume === true
    const agent = await needs.agent(task.agent)
    const view = agentView(task)
    if (agent === undefined) return unavailable(task)
    const lost = lostFields(task, isResumed ? [...TASK_DEFINITION, 'checkpoint'] : TASK_DEFINITION)
    if (lost.length > 0) return dataLost(task, lost)
    const place = await needs.place(task, agent.canResume === true).catch(asEnded(task))
    if ('kind' in place) return place
    const given = { ...place, ...(isResumed && task.checkpoint && { checkpoint: task.checkpoint }) }
    const attempt = () => execute(run, slot, view, agent, given)
    return inAttempt(task, message, attempt, () => run.spent)
  }

  /** The run stays active until its end is written: the heartbeat renews its lease, so that no tick recovers the task. */
  const writeEnd = async (run: LeasedRun, ended: Ended) => {
    finishing += 1
    try {
      await finish(run.costed(), ended)
    } catch (thrown) {
      // The task is not lost: its lease runs out, and the next tick recovers it.
      log.error(
        { ...run.task.trace, taskId: run.taskId, reason: errorMessage(thrown) },
        'the end of a run was not written',
      )
    }
    active.remove(run)
    finishing -= 1
    wakeIfIdle()
  }

  const wakeIfIdle = () => {
    if (away + finishing === 0) for (const wake of idle.splice(0)) wake()
  }

  /** Makes the task of a message wait that may not start now; a run that continues has started before. */
  const isPutBack = async (message: RunTask): Promise<boolean> => {
    const waiting = await gate.beforeClaim(message)
    if (waiting === undefined) return false
    await lease.wait(message, waiting)
    return true
  }

  const work = async (slot: Slot, message: RunTask): Promise<void> => {
    try {
      active.refuseIfStopped()
      if (!message.resume && (await isPutBack(message))) return
      const task = await lease.claim(message)
      if (task === undefined) return
      const run = leased(task)
      const written = writeEnd(run, await runAgent(run, slot, message))
      if (finishing > MOST_FINISHING) await written
    } finally {
      slot.end()
    }
  }

  return {
    /** Resolves when the slot is free again. Rejects when the claim was not written: the queue delivers it again. */
    run: async (message: RunTask): Promise<void> => {
      // A task that was claimed without a slot would hold its lease for nothing, and be ahead of more urgent ones.
      const free = slots.acquire()
      if (free) await free
      const slot = slots.open()
      // A run that waits for a person gives its slot up, and goes on without this call.
      const whole = work(slot, message)
      const isAway = await Promise.race([whole.then(() => false), slot.givenUp.then(() => true)])
      if (!isAway) return
      away += 1
      const end = () => {
        away -= 1
        wakeIfIdle()
      }
      whole.then(end, end)
    },
    /** Resolves when the outcomes of all runs so far are written. */
    settled: (): Promise<void> =>
      away + finishing === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}

/** Without its definition a task would do something else than what was asked. */
const dataLost = (task: Leased, fields: readonly string[]): Ended => {
  const message = `The task cannot run: ${lostText(fields)}`
  return failedRun(task, { error: { code: 'stored_data_lost', message }, retryable: false })
}

const unavailable = (task: Leased): Ended => {
  const message = `No agent of type ${task.agent} is registered here; set AGENT_ADAPTERS or choose another`
  return failedRun(task, { error: { code: 'agent_unavailable', message }, retryable: false })
}

/** Storage that cannot be read now: the attempt has done no work, and is not counted. */
const asEnded =
  (task: Leased) =>
  (thrown: unknown): Ended => {
    const error = { code: 'storage_unavailable', message: errorMessage(thrown) }
    return failedRun(task, { error, retryable: true, refused: true })
  }

/** The public fields of the task: agents do not see the stored fields beside them. */
const agentView = (leased: Leased): Task => {
  const task = publicTask(leased)
  return {
    ...task,
    // A copy: agents may change what they get.
    labels: [...task.labels],
    ...(task.metadata ? { metadata: structuredClone(task.metadata) } : {}),
  }
}

/** Writes the outcome of a run, with a few retries when storage fails. */
const createFinishRun = (needs: FinishNeeds) => {
  const { lease, gate, retryPolicy, random, clock, log, withdrawIfOver, learn } = needs
  /** The next attempt comes after a backoff, and not before the time that the failure names. */
  const failAttempt = async (task: Leased, { error, next, retryAfterMs = 0, continuation }: FailedRun) => {
    const { id: taskId, attempts: attempt, refusals = 0 } = task
    const isCounted = next !== 'retry uncounted'
    const failure = { code: error.code, reason: errorMessage(error.message, 200) }
    log.info(
      { taskId, attempt, ...task.trace, ...failure, ...(!isCounted && { counted: false }) },
      'attempt failed',
    )
    if (next === 'fail') return lease.fail(task, error, { continuation })
    const { baseMs, type } = retryPolicy()
    const waitMs = isCounted
      ? backoffMs({ attempt, baseMs, type, random })
      : backoffMs({ attempt: refusals + 1, baseMs, type: 'exponential', random, maxMs: LONGEST_REFUSAL_MS })
    const delayMs = Math.max(waitMs, retryAfterMs)
    const waiting = isCounted ? undefined : await gate.reasonToWait(task)
    return lease.retry(task, error, delayMs, { isCounted, waiting })
  }

  const succeed = async (task: Leased, { result, continuation }: SucceededRun) => {
    if (await lease.succeed(task, result, continuation)) await learn(agentView(task), result)
  }

  const write = async (task: Leased, ended: Ended): Promise<unknown> => {
    if (ended.kind === 'succeeded') return succeed(task, ended)
    if (ended.kind === 'failed') return failAttempt(task, ended)
    if (ended.kind === 'waiting') return lease.suspend(task, ended)
    if (ended.reason === 'shutdown') return lease.release(task, 'The service shut down while the task ran')
    // The task was cancelled or leased to another worker, and that write has logged it.
    return lease.keepCost(task)
  }

  return async (task: Leased, ended: Ended): Promise<void> => {
    await retry(() => write(task, ended), clock)
    // A successful run waits for no approval; any other run may have been cancelled while it asked for one.
    if (ended.kind !== 'succeeded') await retry(() => withdrawIfOver(task), clock)
  }
}
