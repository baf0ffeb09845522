import { cronInWords } from './cron-words.ts'

/** What the form offers before a pattern of one's own. */
export type Repeat =
  | { kind: 'hour' }
  | { kind: 'day' | 'weekdays'; time: string }
  | { kind: 'week'; time: string; weekday: string }
  | { kind: 'month'; time: string; day: number }
export type Kind = Repeat['kind']

export const kinds: Readonly<Record<Kind, string>> = {
  hour: 'Every hour',
  day: 'Every day',
  weekdays: 'Every weekday',
  week: 'Every week',
  month: 'Every month',
}

export const weekdays: Readonly<Record<string, string>> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
}
const NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']

const WEEKDAYS = 'MON-FRI'
const isNumber = (text: string) => /^\d{1,2}$/.test(text)
const two = (text: string) => text.padStart(2, '0')

/** The pattern as one of the choices; undefined where it is none of them. */
export const readRepeat = (cron: string): Repeat | undefined => {
  const [minute = '', hour = '', day = '', month, weekday = '', ...more] = cron.trim().split(/\s+/)
  if (more.length > 0 || month !== '*' || !isNumber(minute)) return undefined
  if (`${hour} ${day} ${weekday}` === '* * *') return Number(minute) === 0 ? { kind: 'hour' } : undefined
  if (!isNumber(hour)) return undefined
  const time = `${two(hour)}:${two(minute)}`
  if (weekday === '*' && isNumber(day)) return { kind: 'month', time, day: Number(day) }
  if (day !== '*') return undefined
  if (weekday === '*') return { kind: 'day', time }
  const name = weekday.toUpperCase()
  if (name === WEEKDAYS || name === '1-5') return { kind: 'weekdays', time }
  const one = isNumber(name) ? NAMES[Number(name)] : name
  return one !== undefined && Object.hasOwn(weekdays, one) ? { kind: 'week', time, weekday: one } : undefined
}

export const writeRepeat = (repeat: Repeat): string => {
  if (repeat.kind === 'hour') return '0 * * * *'
  const [hour, minute] = repeat.time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (repeat.kind === 'week') return `${at} * * ${repeat.weekday}`
  if (repeat.kind === 'month') return `${at} ${repeat.day} * *`
  return `${at} * * ${repeat.kind === 'weekdays' ? WEEKDAYS : '*'}`
}

/** `Every weekday at 09:00`; other patterns as cron says them; undefined where words would mislead. */
export const repeatInWords = (cron: string): string | undefined => {
  const repeat = readRepeat(cron)
  if (repeat === undefined) return cronInWords(cron)
  if (repeat.kind === 'hour') return kinds.hour
  if (repeat.kind === 'week') return `Every ${weekdays[repeat.weekday]} at ${repeat.time}`
  if (repeat.kind === 'month') return `Day ${repeat.day} of every month at ${repeat.time}`
  return `${kinds[repeat.kind]} at ${repeat.time}`
}
