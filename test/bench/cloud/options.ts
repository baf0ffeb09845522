import { parseArgs } from 'node:util'

/** What is not measured, and how much is. Every figure that rests on one of the first four is printed with it. */
export type Options = {
  /** Seconds that a task's agent works. */
  agentSeconds: number
  /** How often somebody looks at a task. */
  polls: number
  /** Gigabytes in the tables, for the costs of a month without tasks. */
  storedGb: number
  /** How much longer AWS takes to answer than an emulator on this machine, each time that a function waits for it. */
  tripMs: number
  /** Rows of each list when it is long. */
  rows: number
  /** Invocations of each operation. */
  rounds: number
}

const DEFAULTS: Options = { agentSeconds: 60, polls: 2, storedGb: 1, tripMs: 5, rows: 20_000, rounds: 30 }
const FLAGS = {
  'agent-seconds': 'agentSeconds',
  polls: 'polls',
  'stored-gb': 'storedGb',
  'trip-ms': 'tripMs',
  rows: 'rows',
  rounds: 'rounds',
} as const satisfies Record<string, keyof Options>

/** Reads the command line; throws an Error that names what is wrong with it. */
export const readOptions = (args: string[]): Options => {
  const options = Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options })
  const given = Object.entries(FLAGS).flatMap(([flag, name]) => {
    const text = values[flag]
    return text === undefined ? [] : [[name, number(flag, String(text))]]
  })
  return { ...DEFAULTS, ...Object.fromEntries(given) }
}

const number = (flag: string, text: string): number => {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1e7) return value
  throw new Error(`--${flag}: ${text} is no number from 0 to 10,000,000`)
}
