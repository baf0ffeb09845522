import type { Cost } from '../../../../lib/core/cost.ts'
import { formatUsd } from './format.ts'

const sources = {
  provider: 'Reported by the provider or agent',
  price: 'From the list price of the model',
  unknown: 'No known price for its model',
} as const satisfies Record<Cost['source'], string>

/** `$0.42`; `$0.42+` where a part has no known price; `unknown`. */
export const costText = ({ usd, source }: Cost): string => {
  if (usd === null) return 'unknown'
  return source === 'unknown' ? `${formatUsd(usd)}+` : formatUsd(usd)
}

/** Where the sum comes from. */
export const costSource = ({ usd, source }: Cost): string =>
  usd !== null && source === 'unknown' ? 'Minimum: part of the cost has no known price' : sources[source]
