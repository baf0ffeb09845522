import type { TokenUsage } from '../core/token-usage.ts'
import type { CommandResult } from './command.ts'
import type { LoopEvent } from './tool.ts'

export type AgentHealth = { healthy: boolean; latencyMs?: number; message?: string }

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
  /** Where it came from: `codehost`, `api` and so on, and the address of what it came from there. */
  readonly source?: string | undefined
  readonly sourceUrl?: string | undefined
}

/**
 * What a run came to. `success: false` is a failure and is retried, unless `retryable` is false; further fields are kept in
 * the task's result.
 */
export type AgentResult = {
  success: boolean
  output: string
  usage?: TokenUsage
  retryable?: boolean
  [extra: string]: unknown
}

/**
 * A run that waits for the decision of a person. The task stays in progress without a worker; after the decision the same
 * attempt is executed again with this `checkpoint`, plain JSON of at most 16 MB, maybe in another process.
 */
export type AgentWaiting = {
  waitingFor: 'approval'
  checkpoint: object
  message: string
  /** The calls that wait, for readers of the run's events. */
  approvals?: readonly { approvalId: string; toolCallId: string; name: string }[]
}

/** What memory has on a task before its agent begins: parts of files by lines, and what was learned from work like it. */
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
  /** Aborts on cancel, time-out, loss of the lease and shutdown; its reason is an Error that says which. */
  signal: AbortSignal
  /** Counts from 1. */
  attempt: number
  /** What this attempt left when it waited for a decision. */
  checkpoint?: object
  /** Writes a progress event and renews the lease. After a thousand in one attempt it only renews. */
  progress(message: string): void
  /** Has a secret masked in all that the service shows until the end of this run is read. */
  keepSecret(secret: string): void
  /** Adds an event to the agent session of the task, where people follow the run. */
  observe(event: LoopEvent): void
  /**
   * Runs a program in the workspace of this attempt, in the sandbox that the service has for programs of agents, and
   * answers whatever its exit code is. It ends with `signal`. Rejects with Problem `unavailable` `sandbox_missing` where
   * such programs are refused.
   */
  run(file: string, args: readonly string[]): Promise<CommandResult>
}

/** Runs a program for an agent in the workspace of that name. */
export type RunProgram = (
  workspace: string,
  ...program: [file: string, args: readonly string[], signal: AbortSignal]
) => Promise<CommandResult>

/**
 * An execution backend. A thrown error is a failure; `retryable: false` on it skips the remaining attempts.
 * `configured` absent means that nothing needs configuring.
 */
export interface AgentAdapter {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly capabilities: readonly string[]
  configured?(): boolean
  healthCheck(): Promise<AgentHealth>
  execute(task: AgentTask, context: AgentContext): Promise<AgentResult | AgentWaiting>
}
