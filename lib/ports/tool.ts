import type { AgentCallKind } from '../core/agent-call-kinds.ts'
import type { Cost } from '../core/cost.ts'
import type { Question } from '../core/question.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { Effort, FinishReason, ModelMessage, ToolCall, ToolSpec } from './model.ts'
import type { Workspace } from './workspace.ts'

/**
 * The policy's decision about a call: `allowed` by the mode, `approved` by a person, `denied` by the mode or a person,
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
  /** A question to a person, which ends the turn. */
  question?: Question
  /** The error that ends the run with this call: the reason of the abort, or why the call could not be checked. */
  fault?: unknown
}

/**
 * `isChecked`: the call was checked and counted towards the rate limit before; the guards check it again, and it uses up
 * an approval. `onBegin` is called before the tool runs or the refusal is recorded, and not for a call that starts to
 * wait.
 */
export type CallOptions = { isChecked?: boolean; onBegin?: () => void }

/** Who calls tools, where, and what the calls may do. */
export type ToolSession = {
  mode: SecurityMode
  workspace: Workspace
  userId: string
  taskId?: string
  conversationId?: string
  /** The tools that mode `allowlist` allows; those of the policy when absent. */
  allowedTools?: readonly string[]
  /** How long its approvals wait for a decision; 0 has no end. */
  approvalTtlMs?: number
  /** The run lives on while it waits, and looks for the decision itself: no message continues it. */
  awaited?: true
  /** For unattended agentic turns: the policy's `requireApprovalFor` does not apply. */
  unattended?: boolean
}

/** The tools of one session, guarded. */
export interface Toolbox {
  /** The tools offered to the model, without those that the mode can never allow. */
  readonly specs: readonly ToolSpec[]
  /** One line for a person: `write_file notes.md`. At most 200 characters, without contents and secrets. */
  title(call: ToolCall): string
  /**
   * Decides about a call and makes it. Once it has begun it never throws, and it is recorded once, with its end. An
   * aborted call has failed; its tool gets at most one more second. Throws the reason of a signal that is aborted before
   * the call begins.
   */
  call(call: ToolCall, signal: AbortSignal, options?: CallOptions): Promise<ToolOutcome>
  /**
   * Decides about a call that is made later. Resolves to its outcome when it is refused or waits for a person, else to
   * undefined.
   */
  ask(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome | undefined>
  /**
   * Whether the approval is decided, or has expired in a conversation. Throws a failure that is not retried,
   * `approval_expired`, for the expired one of a task.
   */
  isDecided(approvalId: string): Promise<boolean>
}

export type LoopEvent =
  /** Without `maxSteps` the number of steps is not known. */
  | { type: 'step:start'; step: number; maxSteps?: number; usedTokens: number }
  | { type: 'text'; step: number; text: string }
  | { type: 'reasoning'; step: number; text: string }
  /** `kind`: what an agent that is a program says its call does. */
  | { type: 'tool:call'; step: number; call: ToolCall; title: string; kind?: AgentCallKind }
  | {
      type: 'tool:result'
      step: number
      call: ToolCall
      title: string
      outcome: ToolOutcome
      /** The run ends with this call. */
      endsRun?: boolean
    }
  | { type: 'step:complete'; step: number; usedTokens: number; toolCalls: number; finishReason: FinishReason }

export type LoopRequest = {
  messages: readonly ModelMessage[]
  toolbox: Toolbox
  /** Of the whole run; one that goes on after a stop has one more step at least. */
  maxSteps: number
  /** The model calls no tool in the last step, so that it answers. */
  answersLast?: boolean
  /** No further step begins after these tokens; without any tokens left, the model is not asked. */
  maxTokens?: number
  /** No further step begins once the steps have cost this much, in USD. */
  maxCostUsd?: number
  /** Of each answer. */
  maxOutputTokens?: number
  provider?: string
  model?: string
  effort?: Effort
  temperature?: number
  signal: AbortSignal
  /** The given messages in fewer tokens, for a window that turned out to be smaller; absent when they stay as they are. */
  compacted?: (() => Promise<readonly ModelMessage[]>) | undefined
  /** What the loop stopped with when its messages were stored: it goes on from there, and its steps and usage add up. */
  stopped?: StoppedLoop | undefined
  onEvent?: (event: LoopEvent) => void
  /** Called after each answer of the model, with the usage of all steps so far, also those before the stop. */
  onUsage?: (usage: TokenUsage) => void
  /** Called after each answer of the model, with what that answer cost. */
  onCost?: (cost: Cost) => void
  /** Called after each whole step, for callers that go on from there where a later one fails. */
  onStep?: (soFar: LoopProgress) => void
}

/** The approvals that calls without a result wait for, and what was used up to then. */
export type StoppedLoop = {
  waiting: readonly { callId: string; approvalId: string }[]
  steps: number
  toolCalls?: number
  usage: TokenUsage
  /** Asked in the same step: the turn ends with it once the calls are made. */
  question?: Question | undefined
}

/** What the steps of a loop have come to. */
export type LoopProgress = {
  /** The text of the last step that has text: the text before tool calls, when the model answered nothing after them. */
  lastText: string
  /** The whole history, the given messages included. Steps, calls and usage include those before a stop. */
  messages: ModelMessage[]
  steps: number
  toolCalls: number
  usage: TokenUsage
  provider: string
  model: string
}

/**
 * `ended`: `answered` when the model stopped calling tools; `max_steps` when it did not in time; `budget` when it spent
 * `maxTokens` before; `cost_limit` when it spent `maxCostUsd`; `cut` when an answer ended early (length, content filter), without its tool calls; `empty` when the
 * answer has no text, even after calls; `asked` when a call asked a person a `question`; `waiting` when calls of the last step wait for approval. `messages` then
 * end with that step and the results so far: a loop that begins with them makes the calls without results, and counts
 * them as checked.
 */
export type LoopResult = LoopProgress & {
  ended: 'answered' | 'max_steps' | 'budget' | 'cost_limit' | 'cut' | 'empty' | 'asked' | 'waiting'
  finishReason: FinishReason
  /** The answer; when the loop ended before one, the text of the last step. */
  text: string
  fallbackFrom?: string
  question?: Question | undefined
  /** The approvals that calls wait for. */
  pending: readonly PendingCall[]
}

/** A tool call that waits for the decision of a person. */
export type PendingCall = { call: ToolCall; approvalId: string }

/** Runs model and tools in turns. Throws the errors of the model port, and the signal's reason once aborted. */
export type RunLoop = (request: LoopRequest) => Promise<LoopResult>
