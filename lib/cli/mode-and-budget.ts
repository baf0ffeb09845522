import { isSecurityMode, type SecurityMode, securityModes } from '../core/security-mode.ts'
import type { Options } from './command.ts'
import { UsageError } from './exit-codes.ts'

export const modeOption = {
  mode: { type: 'string', value: 'mode', about: `the security mode: ${securityModes.join(', ')}` },
} as const satisfies Options

/** The security mode of `--mode`. Throws UsageError for another word. */
export const parseMode = (text: string | undefined, command: string): SecurityMode | undefined => {
  if (text === undefined || isSecurityMode(text)) return text
  throw new UsageError(`--mode must be one of ${securityModes.join(', ')}`, command)
}

export const budgetOption = {
  budget: { type: 'string', value: 'tokens', about: 'the maximum tokens, such as 200k' },
} as const satisfies Options

const LEAST_BUDGET = 1_000
const THOUSANDS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }

/** The tokens of `--budget`. Throws UsageError for what is no number of tokens from 1000 on. */
export const parseBudget = (text: string | undefined, command: string): number | undefined => {
  if (text === undefined) return undefined
  const [, count, unit = ''] = /^(\d{1,9})([km]?)$/i.exec(text) ?? []
  const tokens = Number(count) * (THOUSANDS[unit.toLowerCase()] ?? Number.NaN)
  if (tokens >= LEAST_BUDGET && tokens <= Number.MAX_SAFE_INTEGER) return tokens
  throw new UsageError(
    '--budget must be at least 1000 tokens, such as 200000 or 200k. For US dollars, use --max-cost',
    command,
  )
}
