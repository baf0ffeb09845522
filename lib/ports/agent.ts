import type { Cost } from '../core/cost.ts'
import type { Question } from '../core/question.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { LoopEvent } from './tool.ts'
import type { CommandResult } from './workspace.ts'

/** `version` is that of the agent’s program; `checkedAt`, epoch milliseconds, is stated where an earlier check counts. */
export type AgentHealth = {
  healthy: boolean
  latencyMs?: number
  message?: string
  version?: string
  checkedAt?: number
}

/**
 * What an operator has to add before an agent can work: its program, by what installs it, and one of these settings. Each is
 * absent where it is there.
 */
export type MissingParts = { install?: string; missingSettings?: readonly string[] }

/** The work as an adapter sees it. The real object carries every public field of the task. */
export type AgentTask = {
  readonly id: string
  readonly title: string
  readonly description?: string | undefined
  readonly prompt?: string | undefined
  readonly repository?: string | undefined
  readonly branch?: string | undefined
  readonly labels: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly createdBy: string
  /** The first task of its thread; itself, also when absent, where it answers no other. */
  readonly threadId?: string | undefined
  /** The source of the task: `codehost`, `api` and so on, and the address of the issue there. */
  readonly source?: string | undefined
  readonly sourceUrl?: string | undefined
  /** Its own time limit of an attempt, which the worker keeps. */
  readonly timeoutMs?: number | undefined
  /** The most steps of an attempt, for agents that count steps. */
  readonly maxSteps?: number | undefined
}

/**
 * What a failure says of another attempt, as fields of a result without success or of a thrown error. The task is retried
 * unless `retryable` is false, and not before `retryAfterMs` (a day at most). An attempt that was `refused` before any work,
 * as where the agent has no free place, is not counted.
 */
type AgentFailure = { retryable?: boolean; retryAfterMs?: number; refused?: boolean }

/**
 * What a failed run leaves, as fields of a thrown error: a result with the changes so far, which the task shows beside its
 * error, and what a reply needs. A result without success has the first in itself. The last attempt that left any counts.
 * A run whose time is over may leave them too, within a few seconds.
 */
export type LeftByFailure = { result?: AgentResult; continuation?: object }

/** The result of a run. `success: false` is a failure. The task's result keeps further fields. */
export type AgentResult = AgentFailure & {
  success: boolean
  output: string
  usage?: TokenUsage
  /** Asks a person, of a result with success: the task shows it, and the reply to it begins the next turn. */
  question?: Question
  /**
   * What a reply needs to go on, plain JSON of at most 16 MB. It is stored beside the task, not shown, also of a task that
   * failed; the next turn of the thread gets it in `earlier`. Of one that is too large to travel its largest members are
   * left out: each has to make sense without the others.
   */
  continuation?: object
  /** What the run cost, for adapters that do not call `spent`. */
  cost?: Cost
  [extra: string]: unknown
}

/** A task of the same thread that has ended; `result` has what its agent returned. */
export type EarlierTurn = Pick<AgentTask, 'id' | 'title' | 'description' | 'prompt'> & {
  readonly status: string
  readonly result?: Readonly<Record<string, unknown>> | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** What went before, for a task that answers another one. */
export type EarlierTurns = {
  /** The turn before this one. */
  readonly previous: EarlierTurn
  /** What the latest turn left that left any. */
  readonly continuation?: object
  /** The turns after that one, oldest first: they were cancelled, or failed without a result. */
  readonly since: readonly EarlierTurn[]
}

/** A call that waits for the decision of a person. */
export type WaitingCall = { approvalId: string; toolCallId: string; name: string }

/**
 * A run that waits for a decision of a person. The task stays in progress without a worker. After the decision the same
 * attempt is executed again with this `checkpoint`, plain JSON of at most 16 MB, possibly in another process.
 */
export type AgentWaiting = {
  waitingFor: 'approval'
  checkpoint: object
  message: string
  /** The calls that wait; readers of the run's events see them. */
  approvals?: readonly WaitingCall[]
}

/** Guidance from memory before a task begins: line ranges of files, and experiences with similar work. */
export type Guidance = {
  chunks: readonly {
    id: string
    path: string
    startLine: number
    endLine: number
    heading?: string | undefined
    text: string
  }[]
  experiences: readonly { id: string; intent: string; solution: string | object }[]
}

export type AgentContext = {
  /** Aborts on cancel, time-out, loss of the lease and shutdown. Its reason is an Error that names which. */
  signal: AbortSignal
  /** Counts from 1. */
  attempt: number
  /**
   * The name of the workspace of this run: one of its own for each attempt of a task that begins a thread, where its agent
   * cannot resume, and the one of the first turn for each later turn.
   */
  workspace: string
  /** The earlier turns of the thread. */
  earlier?: EarlierTurns
  /** The checkpoint of this attempt, when it waited for a decision. */
  checkpoint?: object
  /**
   * Writes a progress event and renews the lease. After 1,000 events in one attempt one more says so, and it only renews;
   * the latest message is then written every 30 s, and the last 10 with the end of the run.
   */
  progress(message: string): void
  /** Masks a secret in all output of the service until this run's end was read. */
  keepSecret(secret: string): void
  /**
   * Does work that waits for a decision while the agent's program lives on: the task says so, the slot is free for others,
   * and the time limit stands still. Ends as `work` does, once there is a slot again.
   */
  waitFor<T>(call: WaitingCall, work: () => Promise<T>): Promise<T>
  /**
   * The most that this call may cost in USD: an agent begins no further call of a model once it is reached, and fails with
   * `cost_limit_reached`, which is not retried.
   */
  costLimitUsd?: number
  /** Says what this call of `execute` has cost so far. The last one counts, however the run ends. */
  spent(cost: Cost): void
  /** Adds an event to the agent session of the task, in which people follow the run. */
  observe(event: LoopEvent): void
  /**
   * Runs a program in the workspace of this attempt, in the sandbox for programs of agents; resolves for any exit code.
   * The program ends when `signal` aborts. Rejects with Problem `unavailable` `sandbox_missing` where the service refuses
   * such programs.
   */
  run(file: string, args: readonly string[]): Promise<CommandResult>
}

/** Runs a program for an agent in the workspace of that name. */
export type RunProgram = (
  workspace: string,
  ...program: [file: string, args: readonly string[], signal: AbortSignal]
) => Promise<CommandResult>

/**
 * An execution backend. A thrown error is a failure, with the fields of `AgentFailure` and `LeftByFailure`. Without `configured` the adapter
 * needs no configuration. One that `canResume` continues in the next attempt where the last one ended, so that a task whose
 * time ran out is retried; without it the task fails.
 */
export interface AgentAdapter {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly capabilities: readonly string[]
  readonly canResume?: boolean
  /** Its time limit of an attempt, 1 second to 24 hours; `POOL_TIMEOUT_MS` when absent. That of a task comes first. */
  readonly timeoutMs?: number
  /** Absent for an adapter of a module. */
  readonly family?: 'builtin' | 'acp' | 'command'
  configured?(): boolean
  /** Absent for an agent that cannot say what it lacks. */
  missing?(): MissingParts
  /**
   * The providers of models that it can work with: while all of them are held by their usage limits, no new run of it
   * starts. Absent for an agent that is never held.
   */
  providers?(): readonly string[]
  /**
   * Runs work as the adapter's own. The service adds it to the adapters of modules: reading what they give may run code of
   * theirs, such as a getter, whose uncaught errors are theirs.
   */
  within?<T>(work: () => T): T
  /** With `isFresh` no earlier check counts. */
  healthCheck(options?: { isFresh?: boolean }): Promise<AgentHealth>
  execute(task: AgentTask, context: AgentContext): Promise<AgentResult | AgentWaiting>
}
