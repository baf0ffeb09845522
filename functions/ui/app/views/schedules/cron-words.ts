const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
const NTH = ['first', 'second', 'third', 'fourth', 'fifth']
/** More times of a day than this are not listed. */
const MOST_TIMES = 4

/**
 * A pattern of a common shape in words: `Monday to Friday at 09:00`. Undefined for the others, and for what is no pattern: what a
 * pattern means is for the service to say.
 */
export const wordsOf = (cron: string): string | undefined => {
  const pattern = cron.trim().toLowerCase()
  const [minute, hour, day, month, weekday, ...more] = (NICKNAMES[pattern] ?? pattern).split(/\s+/)
  if (minute === undefined || hour === undefined || day === undefined) return undefined
  if (month === undefined || weekday === undefined || more.length > 0) return undefined
  const days = daysOf(day, month, weekday)
  if (days === undefined) return undefined
  const times = timesOf(minute, hour)
  if (times !== undefined) return capital(`${days || 'every day'} at ${joined(times)}`)
  const often = oftenOf(minute, hour)
  return often && capital(days ? `${often}, ${days}` : often)
}

/** The number that a field is; undefined for anything else. */
const numberIn = (field: string, least: number, most: number): number | undefined => {
  const number = /^\d{1,2}$/.test(field) ? Number(field) : Number.NaN
  return number >= least && number <= most ? number : undefined
}

/** The numbers that a field lists, in order and once each. */
const listIn = (
  field: string,
  read: (part: string) => number | undefined,
  expand?: boolean,
): number[] | undefined => {
  const numbers = new Set<number>()
  for (const part of field.split(',')) {
    const [from, to, ...more] = part.split('-').map(read)
    const last = part.includes('-') ? to : from
    if (from === undefined || last === undefined || more.length > 0 || last < from) return undefined
    if (last !== from && !expand) return undefined
    for (let number = from; number <= last; number++) numbers.add(number)
  }
  return [...numbers].sort((one, other) => one - other)
}

/** How many apart the values of a field are that divides its range evenly: 10 for the minutes of a `*` with a step of 10. */
const stepIn = (field: string, range: number): number | undefined => {
  if (field === '*') return 1
  const step = numberIn(/^\*\/(\d+)$/.exec(field)?.[1] ?? '', 1, range - 1)
  return step !== undefined && range % step === 0 ? step : undefined
}

const MINUTES = 60
const HOURS = 24
const two = (number: number) => String(number).padStart(2, '0')
const timeOf = (hour: number, minute: number) => `${two(hour)}:${two(minute)}`
const minuteIn = (field: string) => numberIn(field, 0, MINUTES - 1)
const hourIn = (field: string) => numberIn(field, 0, HOURS - 1)

/** The times of a day that are listed one by one. */
const timesOf = (minute: string, hour: string): string[] | undefined => {
  const minutes = listIn(minute, minuteIn)
  const hours = listIn(hour, hourIn)
  if (minutes === undefined || hours === undefined || minutes.length * hours.length > MOST_TIMES)
    return undefined
  return hours.flatMap((h) => minutes.map((m) => timeOf(h, m)))
}

const every = (count: number, unit: string) => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`)

/** How often it is within a day. */
const oftenOf = (minute: string, hour: string): string | undefined => {
  const [from, to = from] = hour.split('-', 2).map(hourIn)
  const isSpan = from !== undefined && to !== undefined && from <= to
  const minutes = stepIn(minute, MINUTES)
  if (minutes !== undefined) {
    const often = every(minutes, 'minute')
    if (hour === '*') return often
    return isSpan ? `${often} from ${timeOf(from, 0)} to ${timeOf(to, MINUTES - minutes)}` : undefined
  }
  const at = minuteIn(minute)
  const hours = stepIn(hour, HOURS)
  if (at === undefined) return undefined
  if (hours !== undefined) return `${every(hours, 'hour')}${at === 0 ? ' on the hour' : ` at minute ${at}`}`
  return isSpan ? `every hour from ${timeOf(from, at)} to ${timeOf(to, at)}` : undefined
}

const weekdayIn = (field: string): number | undefined => {
  const named = DAYS.findIndex((name) => name.slice(0, 3).toLowerCase() === field)
  return named < 0 ? numberIn(field, 0, DAYS.length) : named
}
const monthIn = (field: string): number | undefined => {
  const named = MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === field)
  return named < 0 ? numberIn(field, 1, MONTHS.length) : named + 1
}

/** On which days it is; empty for all of them. Where both kinds of days are given either will do, which no words here say. */
const daysOf = (day: string, month: string, weekday: string): string | undefined => {
  if (day === '*' && month === '*') return weekday === '*' ? '' : weekdaysOf(weekday)
  if (weekday !== '*') return undefined
  if (month === '*') return day === 'l' ? 'on the last day of each month' : monthDaysOf(day)
  const [date, name] = [numberIn(day, 1, 31), MONTHS[(monthIn(month) ?? 0) - 1]]
  return date === undefined || name === undefined ? undefined : `each year on ${date} ${name}`
}

const weekdaysOf = (field: string): string | undefined => {
  const [name = '', nth, ...more] = field.split('#')
  if (nth !== undefined) {
    const [called, which] = [DAYS[(weekdayIn(name) ?? -1) % DAYS.length], NTH[Number(nth) - 1]]
    return called && which && more.length === 0 ? `on the ${which} ${called} of each month` : undefined
  }
  const numbers = listIn(field, weekdayIn, true)
  if (numbers === undefined) return undefined
  // A week begins on Monday here.
  const days = [...new Set(numbers.map((number) => (number + DAYS.length - 1) % DAYS.length))].sort()
  const names = days.map((number) => DAYS[(number + 1) % DAYS.length])
  const [first = 0] = days
  if (days.length === DAYS.length) return ''
  if (days.length > 2 && days.at(-1) === first + days.length - 1) return `${names[0]} to ${names.at(-1)}`
  return joined(names.map((name) => `${name}s`))
}

const LONGEST_OF_ALL_MONTHS = 28

const monthDaysOf = (field: string): string | undefined => {
  const dates = listIn(field, (part) => numberIn(part, 1, 31))
  if (dates === undefined || dates.length > MOST_TIMES) return undefined
  const rest = dates.some((date) => date > LONGEST_OF_ALL_MONTHS) ? 'that has it' : ''
  return `on the ${joined(dates.map(ordinal))} of each month ${rest}`.trim()
}

const ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const ordinal = (number: number) => `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`

const joined = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
