import { formatMs, parseMs } from '../components/durations.ts'
import { taskLimits } from '../data/at-build.ts'

type Limit = {
  /** The number that is typed; undefined if it is none. */
  read: (text: string) => number | undefined
  /** The text that `read` reads as this number. */
  write: (value: number) => string
  isAllowed: (value: number) => boolean
  /** Said of a text without an allowed number. */
  error: string
}

const MOST_COST_USD = 1_000_000
const NUMBER = /^\d+(?:\.\d+)?$|^\.\d+$/

const toNumber = (text: string) => (NUMBER.test(text) ? Number(text) : undefined)
const isWithin =
  ([least, most]: readonly [number, number]) =>
  (value: number) =>
    value >= least && value <= most

const limits = {
  timeoutMs: {
    read: parseMs,
    write: formatMs,
    isAllowed: isWithin(taskLimits.timeoutMs),
    error: 'Enter a time from 1s to 24h, such as 30m or 1h 30m.',
  },
  maxSteps: {
    read: toNumber,
    write: String,
    isAllowed: (value) => Number.isInteger(value) && isWithin(taskLimits.maxSteps)(value),
    error: `Enter a whole number from 1 to ${taskLimits.maxSteps[1]}.`,
  },
  maxCostUsd: {
    read: (text) => toNumber(text.replace(/^\$\s*/, '')),
    write: String,
    isAllowed: (value) => value > 0 && value <= MOST_COST_USD,
    error: 'Enter an amount above 0, such as 2.50.',
  },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
const names = Object.keys(limits) as LimitName[]

type Texts = Readonly<Record<string, string | undefined>>

const typedLimits = (texts: Texts) =>
  names.flatMap((name) => {
    const text = texts[name]?.trim() ?? ''
    if (text === '') return []
    const value = limits[name].read(text)
    return [{ name, value: value !== undefined && limits[name].isAllowed(value) ? value : undefined }]
  })

export const hasLimits = (texts: Texts): boolean => typedLimits(texts).length > 0

/** Errors by field name. */
export const limitErrors = (texts: Texts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    typedLimits(texts).flatMap(({ name, value }) =>
      value === undefined ? [[name, limits[name].error]] : [],
    ),
  )

/** The limits that are typed, as the service takes them. */
export const readLimits = (texts: Texts): Readonly<Record<string, number>> =>
  Object.fromEntries(
    typedLimits(texts).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  )

/** The texts of a task's limits. */
export const limitTexts = (task: Readonly<Partial<Record<LimitName, number | undefined>>>) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = task[name]
      return value === undefined ? [] : [[name, limits[name].write(value)]]
    }),
  )
