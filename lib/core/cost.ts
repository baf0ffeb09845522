/**
 * What calls of models cost. `source` is that of the least certain part: what the provider or the program states, the
 * price of the model, or nothing. `usd` is the known part, null where nothing is known: a model without a price costs an
 * unknown sum, never 0.
 */
export type Cost = { usd: number | null; source: 'provider' | 'price' | 'unknown' }

export const UNKNOWN_COST: Cost = { usd: null, source: 'unknown' }

const CERTAINTY: readonly Cost['source'][] = ['unknown', 'price', 'provider']

/** Removes the noise of binary fractions: a billionth of a dollar is a thousandth of the cheapest token. */
const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9

const sum = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : rounded(a + b)

/** The cost of both parts; a part without calls has none. */
export const addCost = (a: Cost | undefined, b: Cost | undefined): Cost | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  const source = CERTAINTY[Math.min(CERTAINTY.indexOf(a.source), CERTAINTY.indexOf(b.source))] ?? 'unknown'
  return { usd: sum(a.usd, b.usd), source }
}

/** The cost by the price of a model, which may be unknown. */
export const pricedCost = (usd: number | null): Cost =>
  usd === null ? UNKNOWN_COST : { usd: rounded(usd), source: 'price' }

/** Whole millionths of a dollar, as counters have them; what is unknown counts nothing. */
export const microUsd = (cost: Cost | undefined): number => Math.round((cost?.usd ?? 0) * 1e6)

/** The dollars of a counter. */
export const dollars = (microUsd: number): number => microUsd / 1e6
