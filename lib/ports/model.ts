import type { TokenUsage } from '../core/token-usage.ts'

/** A tool as the model sees it; `inputSchema` is a JSON Schema object. */
export type ToolSpec = { name: string; description: string; inputSchema: Readonly<Record<string, unknown>> }
export type ToolCall = { id: string; name: string; arguments: unknown }

/**
 * `opaque` on an assistant message is the provider's own form of it (such as signed reasoning); it is sent back
 * unchanged.
 */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; opaque?: unknown }
  | { role: 'tool'; callId: string; name: string; content: string; failed: boolean }

export type Effort = 'low' | 'medium' | 'high' | 'max'

/** One call of a model. `model` may be `provider/model`, a bare model of `provider`, or absent for the default. */
export type StepRequest = {
  provider?: string
  model?: string
  messages: readonly ModelMessage[]
  tools?: readonly ToolSpec[]
  /** The tools are offered for the sake of the history only: the model may call none of them. */
  toolChoice?: 'none'
  temperature?: number
  /** When absent: 16,384, or a quarter of the window of a small model. */
  maxOutputTokens?: number
  effort?: Effort
  signal: AbortSignal
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** What a step streams. `finish` is the last part, exactly once, and carries the message to append to the history. */
export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; call: ToolCall }
  | {
      type: 'finish'
      reason: FinishReason
      usage: TokenUsage
      message: Extract<ModelMessage, { role: 'assistant' }>
      provider: string
      model: string
      /** The provider that was asked first, when another one of the fallback chain answered. */
      fallbackFrom?: string
    }

/** A model that a provider offers. `id` is the provider's name for it. */
export type ModelInfo = { id: string; provider: string; name: string }

export type ProviderStatus = {
  type: string
  name: string
  configured: boolean
  /** Whether a key is what it lacks or has: none for one that needs an address first. */
  takesKey: boolean
  /** Where its key comes from; absent without one. */
  keyFrom?: 'environment' | 'stored'
  model?: string
  demo?: boolean
}

/** What a provider answered about a key, in words without secrets. */
export type KeyCheck = { accepted: boolean; message: string; latencyMs?: number }

/** The provider and model that a request names. */
export type AskedModel = { provider?: string | undefined; model?: string | undefined }

/**
 * Language models of every configured provider. `step` throws Problem `unavailable` `provider_error` when the provider
 * fails, is cut off or answers nonsense (a stream without `finish` is such a failure), `rate_limited` on its 429,
 * `invalid` `model_unknown` for a name it cannot resolve, `invalid` `tools_unsupported` for tools where the provider
 * takes none, and the signal's reason once aborted; the connection is then closed.
 *
 * When the asked provider is down or over quota and has sent nothing yet, the providers of the fallback chain are asked
 * in turn, each with its own default model, if the prompt fits its window. When none answers, the failure of the first
 * one is thrown.
 */
export interface Models {
  providers(): readonly ProviderStatus[]
  /** The provider and model that would serve a request. */
  resolve(asked: AskedModel): { provider: string; model: string }
  step(request: StepRequest): AsyncIterable<StepPart>
  /**
   * The models that a configured provider lists; its configured model when it lists none or does not answer; without a
   * `provider`, those of all configured providers. Throws Problem `invalid` `model_unknown` for a provider that is not
   * configured.
   */
  models(provider?: string): Promise<readonly ModelInfo[]>
  /** The tokens of a model's context window: `<KIND>_CONTEXT_TOKENS`, else the known size of the model, else 128,000. */
  contextTokens(target: { provider: string; model: string }): number
  /** Asks the provider whether it works, without spending tokens where that is possible. */
  health(provider: string): Promise<{ healthy: boolean; latencyMs?: number; message?: string }>
  /** Asks the provider whether it accepts a key, within seconds; without one about the key in use. Never rejects. */
  checkKey(provider: string, apiKey?: string): Promise<KeyCheck>
}
