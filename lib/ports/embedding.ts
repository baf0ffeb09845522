/**
 * A model that turns texts into vectors, near each other where meanings are. `embed` answers one for each text, all of
 * one size; it throws Problem `unavailable` `provider_error` when the provider fails or answers nonsense, `rate_limited`
 * on its 429, and the signal's reason once aborted.
 */
export interface Embedding {
  /** As `provider/model`: vectors of different models say nothing of each other. */
  readonly model: string
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}
