import type { SecurityMode } from '../core/security-mode.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { Effort, FinishReason, ModelMessage, ToolCall, ToolSpec } from './model.ts'
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
  /** What ends the run with this call: the reason of the abort that stopped it, or why it could not be checked. */
  fault?: unknown
}

/**
 * `isChecked`: the call was checked before, and counted towards the rate limit then; the guards look again, and an approval is
 * used up. `onBegin` is called before the tool runs or the refusal is on record, and not for a call that is to wait.
 */
export type CallOptions = { isChecked?: boolean; onBegin?: () => void }

/** Who calls tools, where, and how far the calls may go. */
export type ToolSession = {
  mode: SecurityMode
  workspace: Workspace
  userId: string
  taskId?: string
  conversationId?: string
  /** The tools that mode `allowlist` lets through; those of the policy where it is absent. */
  allowedTools?: readonly string[]
  /** For unattended agentic turns: the policy's `requireApprovalFor` does not apply. */
  unattended?: boolean
}

/** The tools of one session, guarded. */
export interface Toolbox {
  /** What the model is offered: tools that the mode can never let through are left out. */
  readonly specs: readonly ToolSpec[]
  /** One line for a person: `write_file notes.md`. At most 200 characters, without contents and secrets. */
  title(call: ToolCall): string
  /**
   * Decides about a call and makes it. Once it has begun it never throws, and is on record once, with how it ended: one that is
   * aborted has failed, and its tool is waited for at most a second longer. Throws the reason of a signal that is aborted
   * before that.
   */
  call(call: ToolCall, signal: AbortSignal, options?: CallOptions): Promise<ToolOutcome>
  /**
   * Decides about a call that is not made now: its outcome where it is refused or waits for a person, undefined where it is to be
   * made later.
   */
  ask(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome | undefined>
  /** Refuses a call, on record as denied, for a reason besides the policy. */
  refuse(call: ToolCall, reason: string): ToolOutcome
  /** Whether the approval is decided, or has expired. */
  isDecided(approvalId: string): Promise<boolean>
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
  /** Tokens after which no further step begins; without any, the model is not asked. */
  maxTokens?: number
  provider?: string
  model?: string
  effort?: Effort
  temperature?: number
  signal: AbortSignal
  /** The approvals that calls without result waited for when the messages were stored. */
  waiting?: readonly WaitingCall[]
  onEvent?: (event: LoopEvent) => void
  /** Is given what all steps have used, after each answer of the model. */
  onUsage?: (usage: TokenUsage) => void
}

/** A tool call that waits for the decision of a person, by its id. */
export type WaitingCall = { callId: string; approvalId: string }

/**
 * `ended`: `answered` when the model stopped calling tools; `max_steps` when it did not in time; `budget` when `maxTokens`
 * were spent before it did; `cut` when an answer ended early (length, content filter), its tool calls not run; `empty` when
 * its answer says nothing, whatever it did before; `waiting` when calls of the last step wait for approval. `messages` then end
 * with that step and the results it has so far: a loop that begins with them makes the calls that have none, which count
 * as checked.
 */
export type LoopResult = {
  ended: 'answered' | 'max_steps' | 'budget' | 'cut' | 'empty' | 'waiting'
  finishReason: FinishReason
  /** The answer. Where the model was to go on, what it said last. */
  text: string
  /** The text of the last step that has some: what the model said before its calls, where it answers nothing after them. */
  said: string
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
