import type { TokenUsage } from '../core/token-usage.ts'
import type { ModelMessage } from '../ports/model.ts'
import type { Target } from './compaction.ts'
import type { ChatMessage, ChatToolCall, Compaction, Conversation } from './schema.ts'

/** A turn whose lease this process has, until it is run to its end or released. */
export type Turn = {
  conversation: Conversation
  messages: readonly ModelMessage[]
  messageCount: number
  target: Target
  /** The tokens that summaries of the history used. */
  spent: TokenUsage
  /** The messages again, compacted for the model's window as it is known now. */
  compacted?: () => Promise<readonly ModelMessage[]>
  userId: string
  token: string
  /** Aborts with a Problem when the turn is cancelled, its lease is lost, or the rights of its user end. */
  signal: AbortSignal
  /** The number of the message that its answer is stored in, if it has waited for approval. */
  answer?: string
  /** What it had done when it was stored to wait. */
  stopped?: Pick<TurnProgress, 'toolCalls' | 'steps' | 'usage'>
}

/** A turn that began in this process. */
export type BegunTurn = Turn & {
  userMessage: ChatMessage
  compaction?: Compaction
  /** Ends the turn without an answer. The next turn sends the user's message together with the next one. */
  release(): Promise<void>
}

/** What a turn has done so far, and its latest text. The usage is that of its steps, without `spent`. */
export type TurnProgress = {
  messages: readonly ModelMessage[]
  toolCalls: readonly ChatToolCall[]
  steps: number
  usage: TokenUsage
  text: string
}
