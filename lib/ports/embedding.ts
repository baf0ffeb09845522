/**
 * A model that turns texts into vectors; texts of near meaning have near vectors. `embed` answers one vector for each
 * text, all of one size. It throws Problem `unavailable` `provider_error` when the provider fails or answers nonsense,
 * `rate_limited` on its 429, and the signal's reason once aborted.
 */
export interface Embedding {
  /** The model as `provider/model`: vectors of different models are not comparable. */
  readonly model: string
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}
