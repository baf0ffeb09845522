import type { Cost } from './cost.ts'

const CENT = 0.01
const LEAST_USD = 0.0001

/** An amount of dollars: `$12.50`; of less than a cent to two digits, `$0.0042`. */
export const dollarText = (usd: number): string => {
  if (usd === 0 || usd >= CENT) return `$${usd.toFixed(2)}`
  return usd < LEAST_USD ? `<$${LEAST_USD}` : `$${Number(usd.toPrecision(2))}`
}

/** A cost: `$0.42`, `$0.42+` where a part is unknown, `unknown` where all is. */
export const costText = ({ usd, source }: Cost): string => {
  if (usd === null) return 'unknown'
  return source === 'unknown' ? `${dollarText(usd)}+` : dollarText(usd)
}
