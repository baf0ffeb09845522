import { CLOCK } from '../../components/format.ts'
import { When } from '../../components/when.tsx'
import { locale } from '../../data/locale.ts'
import { ownZone } from './zone-field.tsx'

/** `Vienna` for `Europe/Vienna` */
export const zonePlace = (timezone: string): string =>
  timezone.slice(timezone.lastIndexOf('/') + 1).replaceAll('_', ' ')

const DAY_MS = 86_400_000
const DAYS_AHEAD = 6

/** Zones that the browser does not know are shown in UTC. */
const language = (): string => locale.get().language ?? 'en-GB'

const inZone = (timezone: string, at: number, options: Intl.DateTimeFormatOptions): string => {
  try {
    return new Intl.DateTimeFormat(language(), { ...options, ...CLOCK, timeZone: timezone }).format(at)
  } catch {
    return `${new Intl.DateTimeFormat(language(), { ...options, ...CLOCK, timeZone: 'UTC' }).format(at)} UTC`
  }
}

const zoneDay = (timezone: string, at: number): string => {
  const isSoon = at - Date.now() < DAYS_AHEAD * DAY_MS
  if (isSoon) return inZone(timezone, at, { weekday: 'short' })
  const isThisYear = at - Date.now() < 300 * DAY_MS
  return inZone(timezone, at, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).replace(',', '')
}

/** `Tue 02:30` in the zone. */
export const formatInZone = (timezone: string, at: string): string => {
  const moment = Date.parse(at)
  return `${zoneDay(timezone, moment)} ${inZone(timezone, moment, { hour: '2-digit', minute: '2-digit' })}`
}

const exactly = (timezone: string, at: string) =>
  `${inZone(timezone, Date.parse(at), { dateStyle: 'full', timeStyle: 'short' })} ${timezone}`

/** `Tue 02:30 in 5h` */
export const Due = ({ at, timezone }: { at: string; timezone: string }) => (
  <span title={exactly(timezone, at)} className="whitespace-nowrap">
    {formatInZone(timezone, at)} <When at={at} className="text-xs text-muted-foreground" />
  </span>
)

/** ` in Vienna`, unless that is the zone of the user. */
export const ZoneNote = ({ timezone }: { timezone: string }) =>
  timezone === ownZone() ? null : (
    <span title={timezone} className="text-muted-foreground">
      {' '}
      in {zonePlace(timezone)}
    </span>
  )
