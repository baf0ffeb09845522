import { locale } from '../data/locale.ts'

/** In the language and the zone of the profile, and in those of the browser where it does not know them. */
const inLocale = <T>(make: (language: string | undefined, zone: { timeZone?: string }) => T): T => {
  const { language, zone } = locale.get()
  try {
    return make(language, zone === undefined ? {} : { timeZone: zone })
  } catch {
    return make(undefined, {})
  }
}

const makeFormats = () =>
  inLocale((language, zone) => ({
    number: new Intl.NumberFormat(language),
    compact: new Intl.NumberFormat(language, { notation: 'compact' }),
    date: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    full: new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', ...zone }),
    time: new Intl.DateTimeFormat(language, { timeStyle: 'short', ...zone }),
    day: new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', ...zone }),
    exact: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', ...zone }),
  }))

let made: ReturnType<typeof makeFormats> | undefined
locale.subscribe(() => {
  made = undefined
})

const formats = () => {
  made ??= makeFormats()
  return made
}

/** A number as the language of the profile writes it. */
export const formatNumber = (value: number): string => formats().number.format(value)

/** The same in a few letters: `12K`. */
export const formatCompact = (value: number): string => formats().compact.format(value)

/** The day of a moment that begins a day of UTC. */
export const formatDate = (ms: number): string => formats().date.format(ms)

/** A moment to the second, in the time zone of the profile. */
export const formatDateTime = (at: string | number): string => formats().exact.format(new Date(at))

/** The hour and minute of a moment, and its day, in the time zone of the profile. */
export const formatTime = (at: string): string => formats().time.format(new Date(at))
export const formatWeekday = (at: string): string => formats().day.format(new Date(at))

/** The same with its day of the week and its time zone. */
export const formatFullDateTime = (at: string | number): string => formats().full.format(new Date(at))
