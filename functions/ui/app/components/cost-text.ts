import type { Cost } from '../../../../lib/core/cost.ts'
import { formatUsd } from './format.ts'

const sources = {
  provider: 'As the provider or the agent states',
  price: 'By the list price of the model',
  unknown: 'No price is known for its model',
} as const satisfies Record<Cost['source'], string>

/** `$0.42`; `$0.42+` where a part has no known price; `unknown`. */
export const costText = ({ usd, source }: Cost): string => {
  if (usd === null) return 'unknown'
  return source === 'unknown' ? `${formatUsd(usd)}+` : formatUsd(usd)
}

/** Where the sum comes from. */
export const costSource = ({ usd, source }: Cost): string =>
  usd !== null && source === 'unknown' ? 'At least: no price is known for a part of it' : sources[source]
