import type { CallUsage } from '../core/token-usage.ts'

/** A call of a model: the provider's kind, such as `openai`, and the model as the provider names it. */
type PricedCall = { provider: string; model: string; usage: CallUsage }

/** What a call costs today in USD; null for a model without a known price. Never throws. */
export type PriceCall = (call: PricedCall) => number | null

/** Prices of models. Their data is loaded at the first use, without the network. */
export interface Prices {
  load(): Promise<PriceCall>
}
