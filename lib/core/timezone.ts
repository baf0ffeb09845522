import * as z from 'zod'

/** Whether a name is a time zone of the IANA database. Offsets such as `+01:00`, which Intl accepts, are not. */
const isTimezone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const TimezoneSchema = z
  .string()
  .max(100)
  .refine(isTimezone, 'must be an IANA time zone, such as Europe/Vienna')
  .meta({ description: 'IANA time zone', examples: ['Europe/Vienna'] })
