import * as z from 'zod'
import { CONTROLS } from '../core/controls.ts'
import { shownText } from '../core/shown-text.ts'

const LONGEST_PASSWORD = 1_024

/** As the HTML standard has it: ASCII, so lower case compares, and no two addresses only look the same. */
export const EmailSchema = z
  .string()
  .max(255)
  .pipe(z.email({ pattern: z.regexes.html5Email, error: 'must be an email address (ASCII only)' }))
  .meta({ examples: ['ann@example.org'] })

export const emailKey = (email: string): string => email.trim().toLowerCase()

export const NameSchema = shownText(100).meta({ examples: ['Ann'] })

/** Keyboards encode the same letters differently; see RFC 8265, section 4.2. */
const typed = (password: string) => password.normalize('NFC')

const isShortEnough = (password: string) => Buffer.byteLength(password) <= LONGEST_PASSWORD

/**
 * Letters and digits of any script count. The length is that of the normalized text that is compared. Control characters,
 * as the line break at the end of a file, are refused as in RFC 8265, section 4.2.
 */
export const NewPassword = z
  .string()
  .overwrite(typed)
  .min(8)
  .max(LONGEST_PASSWORD)
  .refine((password) => /\p{L}/u.test(password), 'must contain a letter')
  .refine((password) => /\p{N}/u.test(password), 'must contain a number')
  .refine((password) => !CONTROLS.test(password), 'must not contain control characters')
  .refine(isShortEnough, `must have at most ${LONGEST_PASSWORD} bytes`)
  .meta({ examples: ['correct horse 2'] })

/** A password to compare: the rules for new passwords do not apply. */
export const GivenPassword = z
  .string()
  .overwrite(typed)
  .min(1)
  .max(LONGEST_PASSWORD)
  .refine(isShortEnough, `must have at most ${LONGEST_PASSWORD} bytes`)
  .meta({ examples: ['correct horse 1'] })

export const LocaleSchema = z
  .string()
  .max(100)
  .refine(isLocale, 'must be a BCP 47 language tag, such as en-US')
  .meta({ description: 'BCP 47 language tag', examples: ['en-GB'] })

export const AvatarUrlSchema = z.string().max(500).refine(isHttpsUrl, 'must be an https URL')

function isHttpsUrl(url: string): boolean {
  return url.startsWith('https://') && URL.canParse(url)
}

function isLocale(tag: string): boolean {
  try {
    return Boolean(new Intl.Locale(tag))
  } catch {
    return false
  }
}
