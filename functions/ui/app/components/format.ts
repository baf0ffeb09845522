import { locale } from '../data/locale.ts'

/** Uses the locale of the profile, and falls back to the browser's if Intl does not know it. */
const inLocale = <T>(make: (language: string | undefined, zone: { timeZone?: string }) => T): T => {
  const { language, zone } = locale.get()
  try {
    return make(language, zone === undefined ? {} : { timeZone: zone })
  } catch {
    return make(undefined, {})
  }
}

/** A 24-hour clock in every locale, like the times of schedules. */
export const CLOCK = { hourCycle: 'h23' } as const

const USD = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const

const makeFormats = () =>
  inLocale((language, zone) => ({
    number: new Intl.NumberFormat(language),
    compact: new Intl.NumberFormat(language, { notation: 'compact' }),
    usd: new Intl.NumberFormat(language, USD),
    smallUsd: new Intl.NumberFormat(language, { ...USD, maximumSignificantDigits: 2 }),
    date: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    full: new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', ...CLOCK, ...zone }),
    time: new Intl.DateTimeFormat(language, { timeStyle: 'short', ...CLOCK, ...zone }),
    day: new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', ...zone }),
    exact: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', ...CLOCK, ...zone }),
  }))

let made: ReturnType<typeof makeFormats> | undefined
locale.subscribe(() => {
  made = undefined
})

const formats = () => {
  made ??= makeFormats()
  return made
}

export const formatNumber = (value: number): string => formats().number.format(value)

/** `12K` */
export const formatCompact = (value: number): string => formats().compact.format(value)

const CENT = 0.01
const LEAST_USD = 0.0001

/** `$1.23`, `$0.0017`, `<$0.0001` */
export const formatUsd = (usd: number): string => {
  const { usd: whole, smallUsd } = formats()
  if (usd === 0 || usd >= CENT) return whole.format(usd)
  return usd < LEAST_USD ? `<${smallUsd.format(LEAST_USD)}` : smallUsd.format(usd)
}

/** `ms` is the start of a day in UTC. */
export const formatDate = (ms: number): string => formats().date.format(ms)

export const formatDateTime = (at: string | number): string => formats().exact.format(new Date(at))

export const formatTime = (at: string): string => formats().time.format(new Date(at))
export const formatWeekday = (at: string): string => formats().day.format(new Date(at))

/** With weekday and time zone. */
export const formatFullDateTime = (at: string | number): string => formats().full.format(new Date(at))
