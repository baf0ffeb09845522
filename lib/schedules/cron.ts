import { Cron } from 'croner'

const NICKNAME = /^@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)$/i
/** Croner also accepts dates and patterns with seconds or years. */
const FIVE_FIELDS = /^\S+(?:\s+\S+){4}$/

/**
 * The first due time after `afterMs`, if there is one. When clocks go forward, a fixed time in the gap is due right
 * after it; when they go back, a fixed time is due at the first of two, a pattern with `*` or steps at both.
 */
export const nextRun = (cron: string, timezone: string, afterMs: number): string | undefined =>
  new Cron(cron, { mode: '5-part', timezone, fixedTimeRule: 'no-wildcard' })
    .nextRun(new Date(afterMs))
    ?.toISOString()

/** The first `count` due times after `afterMs`, or fewer if there are no more. */
export const nextRuns = (cron: string, timezone: string, afterMs: number, count: number): string[] => {
  const runs: string[] = []
  for (let at = nextRun(cron, timezone, afterMs); at !== undefined && runs.length < count; ) {
    runs.push(at)
    at = nextRun(cron, timezone, Date.parse(at))
  }
  return runs
}

/** The fault of a pattern; undefined for a valid one. */
export const cronFault = (cron: string): string | undefined => {
  const pattern = cron.trim()
  if (!NICKNAME.test(pattern) && !FIVE_FIELDS.test(pattern))
    return 'must have five fields (minute, hour, day of month, month, day of week), or be @hourly, @daily, @weekly, @monthly or @yearly'
  try {
    // Five fields name no year, so a pattern that is ever due is due after any time.
    return nextRun(pattern, 'UTC', 0) === undefined ? 'never runs' : undefined
  } catch (thrown) {
    return faultIn(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

const FIELDS = [
  { name: 'minute', is: 'minute', range: '0 to 59' },
  { name: 'hour', is: 'hour', range: '0 to 23' },
  { name: 'day', is: 'day of month', range: '1 to 31' },
  { name: 'month', is: 'month', range: '1 to 12 or JAN to DEC' },
  { name: 'dayOfWeek', is: 'day of week', range: '0 to 7 or SUN to SAT' },
]

/** Croner counts a field of seconds before the five, and days and months from 0. */
const faultIn = (message: string): string => {
  const fault = message.replace(/^CronPattern: /, '')
  const [, place] = /^configuration entry (\d)/.exec(fault) ?? []
  const [, named] = /^Invalid value for (\w+)/.exec(fault) ?? []
  const field = FIELDS.find(({ name }, at) => String(at + 1) === place || name === named)
  if (field === undefined) return fault
  return `the ${field.is} must be ${field.range}, or a range (1-5), a step (*/5) or a list (1,5)`
}
