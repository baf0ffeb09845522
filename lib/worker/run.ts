import * as z from 'zod'
import { type AttemptLimit, attemptTimeoutText } from '../core/attempt-limit.ts'
import { type Cost, UNKNOWN_COST } from '../core/cost.ts'
import { costLimitReached, isCostLimitReached, overCostLimitText } from '../core/cost-limit.ts'
import { within } from '../core/deadline.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage } from '../core/errors.ts'
import { issueText } from '../core/issue-text.ts'
import type { Masker } from '../core/masker.ts'
import { QuestionSchema } from '../core/question.ts'
import { boundedWaitMs } from '../core/retry-after.ts'
import { withoutPaths } from '../core/without-paths.ts'
import type { AgentAdapter, AgentContext, AgentTask, RunProgram, WaitingCall } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoopEvent } from '../ports/tool.ts'
import {
  CostSchema,
  type LeftByAttempt,
  SESSION_TOO_LARGE,
  type TaskError,
  type TaskResult,
  TaskResultSchema,
  type TaskRow,
} from '../tasks/schema.ts'
import type { Leased, LeasedRun, LeaseWrites, StopReason } from './active.ts'
import { createPauses, createTimer } from './pause.ts'
import type { Slot } from './slots.ts'

/** The events of one run, for readers that follow the task. The last call gives the outcome of the run. */
type RunEvents = {
  observe(event: LoopEvent): void
  /** A call waits, while the run lives on. */
  waits(call: WaitingCall): void
  /** Resolves when the events are stored; undefined when there are none. Never rejects. `cost` is that of the attempt. */
  end(ended: Ended, cost: Cost | undefined): Promise<void> | undefined
}

type OpenRunEvents = (task: Leased, agent: AgentAdapter) => RunEvents

type Needs = {
  clock: Clock
  /** The time limit of an attempt of this task by this agent. */
  attemptLimit: (agent: AgentAdapter, task: AgentTask) => AttemptLimit
  /** What this attempt of a task may cost, in USD. */
  costLimit: (task: Leased) => number | undefined
  runProgram: RunProgram
  masker: Masker
  openEvents: OpenRunEvents
  lease: Pick<LeaseWrites, 'pause' | 'unpause'>
}

/** How long a stopped agent may go on before its slot is freed; one whose time is over has to say what it changed. */
const STOP_GRACE_MS = 2_000
const TIMEOUT_GRACE_MS = 5_000
/** The end of a run waits no longer than this for its messages: meanwhile it keeps its slot, and no stop reaches it. */
const PROGRESS_GRACE_MS = 2_000
const late = () => new Error('The progress of the run was not stored in time')
const LONGEST_PROGRESS = 2_000
/** The most messages of one attempt that are stored as they come; later ones renew the lease. */
const MOST_PROGRESS = 1_000
/** Of the later ones the latest is stored this often, for people who follow the run. */
const LATER_PROGRESS_MS = 30_000
/** The last of them are stored in one event with the end of the run, to show how it ended. */
const LAST_PROGRESS = 10

/** Stores the messages of an attempt up to the limit, then samples. A secret may be split between two messages. */
const createProgressLimit = (
  clock: Clock,
  beat: (message?: string) => void,
  mask: (text: string) => string,
) => {
  const last: string[] = []
  let count = 0
  let cancelSample: (() => void) | undefined
  const sample = () => {
    cancelSample = undefined
    beat(`After ${number(count)} messages: ${last.at(-1)}`)
  }
  return {
    report: (message: unknown): void => {
      const text = errorMessage(message, LONGEST_PROGRESS, mask)
      count += 1
      if (count <= MOST_PROGRESS) {
        beat(text)
        return
      }
      last.push(text)
      if (last.length > LAST_PROGRESS) last.shift()
      beat(count === MOST_PROGRESS + 1 ? beyond() : undefined)
      cancelSample ??= clock.after(LATER_PROGRESS_MS, sample)
    },
    /** Stores the last messages, if any were not stored. Call it before the end of the run is written, which ends the lease. */
    end: (): void => {
      cancelSample?.()
      if (last.length === 0) return
      beat([`Of ${number(count - MOST_PROGRESS)} further messages, the last:`, ...last.splice(0)].join('\n'))
    },
  }
}

const number = (count: number) => count.toLocaleString('en')
// Made when they are needed: the first number in words of a language loads its data for 12 ms.
const beyond = () =>
  `This attempt has sent ${number(MOST_PROGRESS)} messages. From now on, only the latest one is stored every ${LATER_PROGRESS_MS / 1_000} seconds, and the last ${LAST_PROGRESS} at the end`

/** How a run ended: by its agent, by its time limit, or by a stop. */
export type Ended =
  | Exclude<Outcome, { kind: 'failed' }>
  | (Failed & { next: ReturnType<typeof afterFailure> })
  /** With `isUnbegun` its agent was not called. */
  | { kind: 'stopped'; reason: Exclude<StopReason, 'timeout'>; isUnbegun?: true | undefined }

export const failedRun = (task: Leased, failure: Failure): Ended => ({
  ...failure,
  kind: 'failed',
  next: afterFailure(task, failure),
})

// Without its state an agent begins anew, and takes as long again.
const timedOut = (limit: AttemptLimit, { canResume }: AgentAdapter): Failure => ({
  error: { code: 'timeout', message: attemptTimeoutText(limit) },
  retryable: canResume === true,
})

/** A cost as an agent states it, in the form that tasks have; undefined for what is no cost. */
const statedCost = (value: unknown): Cost | undefined => {
  const { data } = CostSchema.safeParse(value)
  return data?.usd === null ? UNKNOWN_COST : data
}

const resultIn = (ended: Ended): TaskResult | undefined =>
  ended.kind === 'succeeded' || ended.kind === 'failed' ? ended.result : undefined

/** Takes the cost from the result of an agent that told none as it went. */
const noteCost = (run: LeasedRun, ended: Ended): void => {
  if (run.spent !== undefined) return
  const cost = statedCost(resultIn(ended)?.cost)
  if (cost) run.spent = cost
}

/** Says of a run that ended well that it cost more than it was allowed. */
const withCostWarning = (
  ended: Ended,
  costWarning: string | undefined,
  report: (message: string) => void,
): Ended => {
  if (ended.kind !== 'succeeded' || costWarning === undefined) return ended
  report(costWarning)
  return { ...ended, result: { ...ended.result, costWarning } }
}

/** Says of a run that what a reply needs of it is not kept. */
const withSessionWarning = (ended: Ended, report: (message: string) => void): Ended => {
  if (!('isSessionLost' in ended)) return ended
  const { isSessionLost: _lost, ...rest } = ended
  const { kept: sessionWarning } = SESSION_TOO_LARGE
  report(sessionWarning)
  return rest.result === undefined ? rest : ({ ...rest, result: { ...rest.result, sessionWarning } } as Ended)
}

/** A timeout that the agent itself throws follows the rule of the worker's. */
const ownTimeout = (failure: Failure, { canResume }: AgentAdapter): Failure =>
  failure.error.code === 'timeout' && canResume !== true ? { ...failure, retryable: false } : failure

/**
 * Runs an agent on a leased task until it ends or is stopped: by a cancel, the loss of its lease, a shutdown, or its
 * time limit. Never rejects. An agent that ignores its signal is abandoned, and its later reports are ignored. Texts
 * that an agent reports, returns or throws are masked here, for every agent.
 */
export const createRunner = ({
  clock,
  attemptLimit,
  costLimit,
  runProgram,
  masker,
  openEvents,
  lease,
}: Needs) => {
  const outcomes = createOutcomes(masker)
  return (
    run: LeasedRun,
    slot: Slot,
    task: AgentTask,
    agent: AgentAdapter,
    given: Pick<AgentContext, 'workspace' | 'earlier' | 'checkpoint'>,
  ) =>
    new Promise<Ended>((resolve) => {
      const { task: leased, stopped, beat } = run
      const { attempts: attempt } = leased
      const events = openEvents(leased, agent)
      const forgetSecrets: (() => void)[] = []
      let isOver = false
      let hasBegun = false
      const timeLimit = attemptLimit(agent, task)
      const costLimitUsd = costLimit(leased)
      const limit = createProgressLimit(clock, beat, masker.messages())
      const timer = createTimer(clock, timeLimit.ms, () => stopped.stop('timeout'))
      const pauses = createPauses({ run, slot, timer, lease, clock })
      const endedAs = (ended: Outcome): Ended => {
        const reason = stopped.reason()
        if (reason === 'timeout')
          return failedRun(leased, { ...timedOut(timeLimit, agent), ...leftIn(ended) })
        if (reason !== undefined) return { kind: 'stopped', reason, ...(!hasBegun && { isUnbegun: true }) }
        return ended.kind === 'failed' ? failedRun(leased, ownTimeout(ended, agent)) : ended
      }
      const end = (ended: Outcome) => {
        timer.pause()
        stopped.end()
        const own = endedAs(ended)
        noteCost(run, own)
        const warned = withCostWarning(own, overCostLimitText(run.spent, costLimitUsd), limit.report)
        const outcome = withSessionWarning(warned, limit.report)
        limit.end()
        isOver = true
        // Stored before the end of the run: a reader who sees that the task has ended finds all events and all progress.
        const written = run.progressWritten()
        // What is late is stored after the end.
        const progress =
          written && within(clock, PROGRESS_GRACE_MS, () => written, late).catch(() => undefined)
        const writes = [events.end(outcome, run.costed().attemptCost), pauses.end(), progress]
        for (const forget of forgetSecrets.splice(0)) forget()
        if (writes.every((write) => write === undefined)) resolve(outcome)
        else Promise.all(writes).then(() => resolve(outcome))
      }
      const { signal } = stopped
      // A run that waited has work to tell of.
      if (given.checkpoint === undefined && isCostLimitReached(0, costLimitUsd))
        return end(outcomes.fromThrown(costLimitReached()))
      const giveUp = () => end(outcomes.fromThrown(signal.reason))
      if (signal.aborted) return giveUp()
      const graceMs = () => (stopped.reason() === 'timeout' ? TIMEOUT_GRACE_MS : STOP_GRACE_MS)
      signal.addEventListener('abort', () => clock.after(graceMs(), giveUp))
      hasBegun = true
      call(outcomes, agent, task, {
        signal,
        attempt,
        progress: (message: unknown) => {
          if (!isOver && !signal.aborted) limit.report(message)
        },
        keepSecret: (secret) => {
          if (!isOver) forgetSecrets.push(masker.learn(secret))
        },
        observe: (event) => {
          if (!isOver) events.observe(event)
        },
        ...definedFields({ costLimitUsd }),
        spent: (cost) => {
          if (!isOver) run.spent = statedCost(cost) ?? UNKNOWN_COST
        },
        waitFor: (call, work) => {
          if (!isOver) events.waits(call)
          return pauses.waitFor(call, work)
        },
        run: (file, args) => runProgram(given.workspace, file, args, signal),
        ...given,
      }).then(end)
    })
}

/** Calls the agent and reads what it gives, which may run its code; an exception is an outcome too. */
const call = (
  { fromReturned, fromThrown }: ReturnType<typeof createOutcomes>,
  agent: AgentAdapter,
  task: AgentTask,
  context: AgentContext,
): Promise<Outcome> => {
  const outcome = async () => {
    try {
      return fromReturned(await agent.execute(task, context))
    } catch (thrown) {
      return fromThrown(thrown)
    }
  }
  return agent.within === undefined ? outcome() : agent.within(outcome)
}

/** A call that waits for approval, in the form of events. */
const WaitingApprovalSchema = z.object({ approvalId: z.string(), toolCallId: z.string(), name: z.string() })
type WaitingApproval = z.output<typeof WaitingApprovalSchema>

type Failed = { kind: 'failed' } & Failure

/** What a reply needs, or that it was too large to be kept. */
type LeftForReply = { continuation?: object; isSessionLost?: true }

type Outcome =
  | ({ kind: 'succeeded'; result: TaskResult } & LeftForReply)
  | Failed
  /** The run continues from its checkpoint after the decision of a person. */
  | { kind: 'waiting'; checkpoint: object; message: string; approvals: readonly WaitingApproval[] }

/** Warns in a result that its question is invalid and is not shown. */
const withQuestionWarning = (result: TaskResult): TaskResult => {
  if (result.question === undefined) return result
  const [issue] = QuestionSchema.safeParse(result.question, { error: issueText }).error?.issues ?? []
  if (issue === undefined) return result
  const questionWarning = `The question of the agent is not shown: ${['question', ...issue.path].join('.')}: ${issue.message}`
  return { ...result, questionWarning }
}

/** Bytes of a result as JSON. With a prompt of 1 MiB it fits the 6 MB of a Lambda answer, even if all is escaped. */
const LONGEST_RESULT = 2_000_000
const resultTooLarge = () => `The agent returned more than ${number(LONGEST_RESULT)} bytes of JSON`
/** The most bytes of a checkpoint: the messages of a run, and a patch of its workspace. */
const LARGEST_CHECKPOINT = 16_000_000
const LONGEST_MESSAGE = 1_000

/** What a thrown value or a result says of the failure, each of any type. */
type FailureFields = Readonly<Record<string, unknown>>
const FINAL: FailureFields = { retryable: false }

/** Reads the values that agents return and throw, and masks the configured secrets in them. */
const createOutcomes = (masker: Masker) => {
  const failed = (code: string, message: unknown, fields: FailureFields, shorten = unchanged): Outcome => ({
    kind: 'failed',
    error: { code, message: failureText(message, masker, shorten) },
    retryable: fields.retryable !== false,
    ...definedFields({ retryAfterMs: boundedWaitMs(fields.retryAfterMs) }),
    ...(fields.refused === true && { refused: true }),
    ...failedResult(fields.result),
    ...toContinuation(fields.continuation),
  })

  /** The result that a failed run leaves; none where it is no result. What it leaves makes no other failure of it. */
  const failedResult = (given: unknown): { result?: TaskResult } => {
    try {
      const json = JSON.stringify(given)
      if (json === undefined || Buffer.byteLength(json) > LONGEST_RESULT) return {}
      const { retryable: _1, retryAfterMs: _2, refused: _3, ...rest } = JSON.parse(json)
      const { data } = TaskResultSchema.safeParse(masker.data({ ...rest, success: false }))
      return definedFields({ result: data })
    } catch {
      return {}
    }
  }

  const fromWaiting = (json: string): Outcome => {
    const tooLarge = 'The run cannot wait for approval, because its messages are too long to store'
    if (Buffer.byteLength(json) > LARGEST_CHECKPOINT) return failed('checkpoint_too_large', tooLarge, FINAL)
    const { checkpoint, message, approvals } = JSON.parse(json)
    const { data = [] } = z.array(WaitingApprovalSchema).safeParse(approvals)
    return { kind: 'waiting', checkpoint, message: failureText(message, masker), approvals: data }
  }

  const fromResult = (returned: object): Outcome => {
    const { continuation: left, ...rest } = returned as { continuation?: unknown }
    if (jsonBytes(rest) > LONGEST_RESULT) return failed('result_too_large', resultTooLarge(), FINAL)
    const parsed = TaskResultSchema.safeParse(masker.data(rest))
    if (!parsed.success) return failed('bad_result', 'The agent did not return {success, output}', FINAL)
    const { data } = parsed
    if (data.success) return { kind: 'succeeded', result: withQuestionWarning(data), ...toContinuation(left) }
    const message = data.output || 'The agent reported a failure'
    return failed('agent_failed', message, { ...data, result: data, continuation: left })
  }

  /** Work that is done counts, also where what a reply would need is too large to be stored. */
  const toContinuation = (left: unknown): LeftForReply => {
    try {
      if (typeof left !== 'object' || left === null) return {}
      if (jsonBytes(left) > LARGEST_CHECKPOINT) return { isSessionLost: true }
      return { continuation: masker.data(JSON.parse(JSON.stringify(left))) as object }
    } catch {
      return {}
    }
  }

  return {
    /** Reads a returned value. A value that is not a valid result is the agent's failure, never the service's. */
    fromReturned: (returned: unknown): Outcome => {
      try {
        const json = JSON.stringify(returned)
        if (json !== undefined) return isWaiting(returned) ? fromWaiting(json) : fromResult(JSON.parse(json))
      } catch {
        // The value is not JSON, or is nested deeper than the stack allows.
      }
      return failed('bad_result', 'The agent returned something that is not JSON', FINAL)
    },
    /**
     * Reads a thrown value, with its snake_case `code` and what it says of another attempt. Errors without one, as those of
     * the system and of Node, may name paths of this machine, which users do not see.
     */
    fromThrown: (thrown: unknown): Outcome => {
      const fields = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as FailureFields
      const { code } = fields
      if (typeof code === 'string' && isWord(masker.text(code))) return failed(code, thrown, fields)
      return failed('agent_error', thrown, fields, withoutPaths)
    },
  }
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const isWaiting = (returned: unknown): boolean =>
  typeof returned === 'object' &&
  returned !== null &&
  'waitingFor' in returned &&
  returned.waitingFor === 'approval' &&
  'checkpoint' in returned &&
  typeof returned.checkpoint === 'object' &&
  returned.checkpoint !== null

const isWord = (code: string) => /^[a-z][a-z0-9_]{0,63}$/.test(code)

const unchanged = (message: string): string => message

/** The message of a thrown value. A value without a text, such as an object without a prototype, is the agent's failure too. */
const failureText = (thrown: unknown, { text }: Masker, shorten = unchanged): string => {
  try {
    return errorMessage(thrown, LONGEST_MESSAGE, (message) => text(shorten(message)))
  } catch {
    return 'The agent failed with an error that has no text'
  }
}

/** A failed attempt, as its agent reported it. */
export type Failure = {
  error: TaskError
  retryable: boolean
  /** The next attempt begins no earlier. */
  retryAfterMs?: number
  /** The attempt was refused before any work, as by an open circuit breaker. */
  refused?: boolean
  /** What a reply needs was too large to be kept. */
  isSessionLost?: true
} & LeftByAttempt

/** What is left by an agent that has ended after its time was over. */
const leftIn = (ended: Outcome): LeftByAttempt & LeftForReply => {
  if (ended.kind === 'waiting') return {}
  const { result, continuation, isSessionLost } = ended
  return definedFields({ result: result && { ...result, success: false }, continuation, isSessionLost })
}

/** A task fails after this many refusals in a row; with waits of up to five minutes it outlasts a day of them. */
const MOST_REFUSALS = 300

type Tried = Pick<TaskRow, 'attempts' | 'maxAttempts' | 'refusals'>

/** What follows a failed attempt: another one, also where this one is not counted, or the end of the task. */
const afterFailure = (
  { attempts, maxAttempts, refusals = 0 }: Tried,
  { retryable, refused }: Failure,
): 'retry' | 'retry uncounted' | 'fail' => {
  if (!retryable) return 'fail'
  if (refused) return refusals < MOST_REFUSALS ? 'retry uncounted' : 'fail'
  return attempts < maxAttempts ? 'retry' : 'fail'
}
