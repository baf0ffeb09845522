export type AgentHealth = { healthy: boolean; latencyMs?: number; message?: string }

/** Tokens that a run spent. */
export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number }

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
}

/** What a run came to. `success: false` is a failure and is retried; further fields are kept in the task's result. */
export type AgentResult = { success: boolean; output: string; usage?: TokenUsage; [extra: string]: unknown }

export type AgentContext = {
  /** Aborts on cancel, time-out, loss of the lease and shutdown; its reason is an Error that says which. */
  signal: AbortSignal
  /** Counts from 1. */
  attempt: number
  /** Writes a progress event and renews the lease. After a thousand in one attempt it only renews. */
  progress(message: string): void
}

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
  execute(task: AgentTask, context: AgentContext): Promise<AgentResult>
}
