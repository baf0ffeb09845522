import type { SecurityMode } from '../core/security-mode.ts'
import type { Effort, FinishReason, ModelMessage, TokenUsage, ToolCall, ToolSpec } from './model.ts'
import type { Workspace } from './workspace.ts'

/**
 * What the policy made of a call: `allowed` by the mode, `approved` by a person, `denied` by the mode or a person,
 * `blocked` by a guard, `invalid` for an unknown tool or arguments that do not fit, `pending` while a person is asked.
 */
export type ToolDecision = 'allowed' | 'approved' | 'denied' | 'blocked' | 'invalid' | 'pending'

/** `content` is for the model: the result, or a reason it can act on. */
export type ToolOutcome = {
  content: string
  failed: boolean
  decision: ToolDecision
  durationMs: number
  /** The approval that a `pending` call waits for. */
  approvalId?: string
}

/** Who calls tools, where, and how far the calls may go. */
export type ToolSession = {
  mode: SecurityMode
  workspace: Workspace
  userId: string
  taskId?: string
  conversationId?: string
  /** The tools that mode `allowlist` lets through; those of the policy where it is absent. */
  allowedTools?: readonly string[]
  /** For agentic turns, which nobody attends: the policy's `requireApprovalFor` does not apply. */
  unattended?: boolean
}

/** The tools of one session, guarded. */
export interface Toolbox {
  /** What to tell the model about: tools that the mode can never let through are left out. */
  readonly specs: readonly ToolSpec[]
  /** One line for a person: `write_file notes.md`. At most 200 characters, without contents and secrets. */
  title(call: ToolCall): string
  /** Never throws for a call that fails or is refused; throws the signal's reason once aborted. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  /**
   * Asks for the approval that a call would need, without making the call: its id, or undefined for a call that needs none
   * or that is decided already.
   */
  ask(call: ToolCall, signal: AbortSignal): Promise<string | undefined>
}

export type LoopEvent =
  | { type: 'step:start'; step: number; maxSteps: number; usedTokens: number }
  | { type: 'text'; step: number; text: string }
  | { type: 'reasoning'; step: number; text: string }
  | { type: 'tool:call'; step: number; call: ToolCall; title: string }
  | { type: 'tool:result'; step: number; call: ToolCall; title: string; outcome: ToolOutcome }
  | { type: 'step:complete'; step: number; usedTokens: number; toolCalls: number; finishReason: FinishReason }

export type LoopRequest = {
  messages: readonly ModelMessage[]
  toolbox: Toolbox
  maxSteps: number
  /** Tokens after which no further step begins. */
  maxTokens?: number
  provider?: string
  model?: string
  effort?: Effort
  temperature?: number
  signal: AbortSignal
  onEvent?: (event: LoopEvent) => void
}

/**
 * `ended`: `answered` when the model stopped calling tools; `max_steps` when it did not in time; `budget` when `maxTokens`
 * were spent before it did; `cut` when an answer ended early (length, content filter), its tool calls not run; `empty` when
 * it neither answered nor did anything; `waiting` when calls of the last step wait for approval. `messages` then end
 * with that step and the results it has so far: a loop that begins with them makes the calls that have none.
 */
export type LoopResult = {
  ended: 'answered' | 'max_steps' | 'budget' | 'cut' | 'empty' | 'waiting'
  finishReason: FinishReason
  /** The text of the last step. */
  text: string
  /** The whole history, what was given included. */
  messages: ModelMessage[]
  steps: number
  toolCalls: number
  usage: TokenUsage
  provider: string
  model: string
  fallbackFrom?: string
  /** The approvals that are waited for. */
  pending: readonly PendingCall[]
}

/** A tool call that waits for the decision of a person. */
export type PendingCall = { call: ToolCall; approvalId: string }

/** Model and tools in turns. Throws what the model port throws, and the signal's reason once aborted. */
export type RunLoop = (request: LoopRequest) => Promise<LoopResult>
