import * as z from 'zod'
import { errorMessage } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { boundedWaitMs } from '../core/retry-after.ts'
import { durationText } from '../core/time.ts'
import { withoutPaths } from '../core/without-paths.ts'
import type { AgentAdapter, AgentContext, AgentTask, RunProgram } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoopEvent } from '../ports/tool.ts'
import { workspaceName } from '../ports/workspace.ts'
import { type TaskResult, TaskResultSchema } from '../tasks/schema.ts'
import type { Leased, LeasedRun, StopReason } from './active.ts'
import { afterFailure, type Failure } from './failure.ts'

/** The events of one run, for readers that follow the task. The last call gives the outcome of the run. */
type RunEvents = {
  observe(event: LoopEvent): void
  /** Resolves when the events are stored; undefined when there are none. Never rejects. */
  end(ended: Ended): Promise<void> | undefined
}

export type OpenRunEvents = (task: Leased) => RunEvents

type Needs = {
  clock: Clock
  timeoutMs: number
  runProgram: RunProgram
  masker: Masker
  openEvents: OpenRunEvents
}

/** How long a stopped agent may go on before its slot is freed. */
const STOP_GRACE_MS = 2_000
const LONGEST_PROGRESS = 2_000
/** The most messages of one attempt that are stored as they come; later ones renew the lease. */
const MOST_PROGRESS = 1_000
/** Of the later ones the latest is stored this often, for people who follow the run. */
const LATER_PROGRESS_MS = 30_000
/** The last of them are stored in one event with the end of the run, to show how it ended. */
const LAST_PROGRESS = 10

/**
 * Stores the messages of one attempt by `beat`, up to the limit, and samples of the later ones. `mask` gets each of
 * them, since a secret may be split between two.
 */
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
      beat(count === MOST_PROGRESS + 1 ? BEYOND : undefined)
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
const BEYOND = `This attempt has sent ${number(MOST_PROGRESS)} messages. From here on the latest one is stored every ${LATER_PROGRESS_MS / 1_000} seconds, and the last ${LAST_PROGRESS} at the end`

/** How a run ended: by its agent, by its time limit, or by a stop. */
export type Ended =
  | Exclude<Outcome, { kind: 'failed' }>
  | (Failed & { next: ReturnType<typeof afterFailure> })
  | { kind: 'stopped'; reason: Exclude<StopReason, 'timeout'> }

/** The end of a task's run that has failed. */
export const failedRun = (task: Leased, failure: Failure): Ended => ({
  ...failure,
  kind: 'failed',
  next: afterFailure(task, failure),
})

// Without its state an agent begins anew, and takes as long again.
const timedOut = (timeoutMs: number, { canResume }: AgentAdapter): Failure => ({
  error: {
    code: 'timeout',
    message: `The agent did not finish within ${durationText(timeoutMs)}, the limit of POOL_TIMEOUT_MS`,
  },
  retryable: canResume === true,
})

/**
 * Runs an agent on a leased task until it ends or is stopped: by a cancel, the loss of its lease, a shutdown, or after
 * `timeoutMs`. Never rejects. An agent that ignores its signal is abandoned, and its later reports are ignored. Texts
 * that an agent reports, returns or throws are masked here, for every agent.
 */
export const createRunner = ({ clock, timeoutMs, runProgram, masker, openEvents }: Needs) => {
  const outcomes = createOutcomes(masker)
  return (
    { task: leased, stopped, beat }: LeasedRun,
    task: AgentTask,
    agent: AgentAdapter,
    checkpoint: object | undefined,
  ) =>
    new Promise<Ended>((resolve) => {
      const { attempts: attempt } = leased
      const events = openEvents(leased)
      const kept: (() => void)[] = []
      let over = false
      const limit = createProgressLimit(clock, beat, masker.messages())
      const cancelTimeout = clock.after(timeoutMs, () => stopped.stop('timeout'))
      const endedAs = (ended: Outcome): Ended => {
        const reason = stopped.reason()
        if (reason === 'timeout') return failedRun(leased, timedOut(timeoutMs, agent))
        if (reason !== undefined) return { kind: 'stopped', reason }
        return ended.kind === 'failed' ? failedRun(leased, ended) : ended
      }
      const end = (ended: Outcome) => {
        cancelTimeout()
        limit.end()
        over = true
        stopped.end()
        const outcome = endedAs(ended)
        // The events are stored before the end of the run: a reader who sees that the task has ended finds all events.
        const stored = events.end(outcome)
        for (const forget of kept.splice(0)) forget()
        if (stored === undefined) resolve(outcome)
        else stored.then(() => resolve(outcome))
      }
      const keepSecret = (secret: string) => {
        if (!over) kept.push(masker.learn(secret))
      }
      const observe = (event: LoopEvent) => {
        if (!over) events.observe(event)
      }
      const progress = (message: unknown) => {
        if (over || stopped.reason() !== undefined) return
        limit.report(message)
      }
      const giveUp = () => end(outcomes.ofThrown(stopped.signal.reason))
      if (stopped.reason() !== undefined) return giveUp()
      stopped.onStop(() => clock.after(STOP_GRACE_MS, giveUp))
      const { signal } = stopped
      const run: AgentContext['run'] = (file, args) =>
        runProgram(workspaceName(task.id, attempt), file, args, signal)
      call(outcomes, agent, task, {
        signal,
        attempt,
        progress,
        keepSecret,
        observe,
        run,
        ...(checkpoint && { checkpoint }),
      }).then(end)
    })
}

/** Calls the agent and reads what it gives, which may run its code; an exception is an outcome too. */
const call = (
  { ofReturned, ofThrown }: Outcomes,
  agent: AgentAdapter,
  task: AgentTask,
  context: AgentContext,
): Promise<Outcome> => {
  const outcome = async () => {
    try {
      return ofReturned(await agent.execute(task, context))
    } catch (thrown) {
      return ofThrown(thrown)
    }
  }
  return agent.within === undefined ? outcome() : agent.within(outcome)
}

/** A call that waits for approval, in the form of events. */
const WaitingApprovalSchema = z.object({ approvalId: z.string(), toolCallId: z.string(), name: z.string() })
type WaitingApproval = z.output<typeof WaitingApprovalSchema>

type Failed = { kind: 'failed' } & Failure

/** The outcome of a run for its task. */
type Outcome =
  | { kind: 'succeeded'; result: TaskResult }
  | Failed
  /** The run continues from its checkpoint after the decision of a person. */
  | { kind: 'waiting'; checkpoint: object; message: string; approvals: readonly WaitingApproval[] }

/**
 * The most bytes of a result as JSON; a longer result belongs into a file of the workspace. With a prompt of 1 MiB it
 * fits the 6 MB of a Lambda answer, even if every character has to be escaped there.
 */
const LONGEST_RESULT = 2_000_000
/** The most bytes of a checkpoint: the messages of a run, and a patch of its workspace. */
const LARGEST_CHECKPOINT = 16_000_000
const LONGEST_MESSAGE = 1_000

/** What a thrown value or a result says of the failure, each of any type. */
type FailureFields = Readonly<Record<string, unknown>>
const FINAL: FailureFields = { retryable: false }

type Outcomes = ReturnType<typeof createOutcomes>

/** Reads the values that agents return and throw, and masks the configured secrets in them. */
const createOutcomes = (masker: Masker) => {
  const failed = (code: string, message: unknown, said: FailureFields): Outcome => {
    const retryAfterMs = boundedWaitMs(said.retryAfterMs)
    return {
      kind: 'failed',
      error: { code, message: textOf(message, masker) },
      retryable: said.retryable !== false,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(said.refused === true ? { refused: true } : {}),
    }
  }

  const ofWaiting = (plain: string): Outcome => {
    if (Buffer.byteLength(plain) > LARGEST_CHECKPOINT)
      return failed(
        'checkpoint_too_large',
        'The run cannot wait for approval: its messages are too long to be kept',
        FINAL,
      )
    const { checkpoint, message, approvals } = JSON.parse(plain)
    const { data = [] } = z.array(WaitingApprovalSchema).safeParse(approvals)
    return { kind: 'waiting', checkpoint, message: textOf(message, masker), approvals: data }
  }

  const ofJson = (plain: string): Outcome => {
    if (Buffer.byteLength(plain) > LONGEST_RESULT) {
      return failed(
        'result_too_large',
        `The agent returned more than ${number(LONGEST_RESULT)} bytes of JSON`,
        FINAL,
      )
    }
    const parsed = TaskResultSchema.safeParse(masker.data(JSON.parse(plain)))
    if (!parsed.success) return failed('bad_result', 'The agent did not return {success, output}', FINAL)
    if (!parsed.data.success)
      return failed('agent_failed', parsed.data.output || 'The agent reported a failure', parsed.data)
    return { kind: 'succeeded', result: parsed.data }
  }

  return {
    /** Reads a returned value. A value that is not a valid result is the agent's failure, never the service's. */
    ofReturned: (returned: unknown): Outcome => {
      try {
        const plain = JSON.stringify(returned)
        if (plain !== undefined) return isWaiting(returned) ? ofWaiting(plain) : ofJson(plain)
      } catch {
        // The value is not JSON, or is nested deeper than the stack allows.
      }
      return failed('bad_result', 'The agent returned something that is not JSON', FINAL)
    },
    /** Reads a thrown value, with its snake_case `code` and what it says of another attempt. */
    ofThrown: (thrown: unknown): Outcome => {
      const said = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as FailureFields
      const { code } = said
      const word = typeof code === 'string' && isWord(masker.text(code)) ? code : 'agent_error'
      return failed(word, thrown, said)
    },
  }
}

const isWaiting = (returned: unknown): boolean =>
  typeof returned === 'object' &&
  returned !== null &&
  'waitingFor' in returned &&
  returned.waitingFor === 'approval' &&
  'checkpoint' in returned &&
  typeof returned.checkpoint === 'object' &&
  returned.checkpoint !== null

const isWord = (code: string) => /^[a-z][a-z0-9_]{0,63}$/.test(code)

/**
 * The message of a thrown value, without the paths of this machine that errors of the system name. A thrown value may have
 * no text, such as an object without a prototype; this is the agent's failure too.
 */
const textOf = (thrown: unknown, { text }: Masker): string => {
  try {
    const isOfSystem = typeof Object(thrown).syscall === 'string'
    return errorMessage(thrown, LONGEST_MESSAGE, (message) =>
      text(isOfSystem ? withoutPaths(message) : message),
    )
  } catch {
    return 'The agent failed with an error that has no text'
  }
}
