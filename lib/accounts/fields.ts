import * as z from 'zod'
import { shownText } from '../core/shown-text.ts'

const LONGEST_PASSWORD = 1_024

/**
 * An address as the HTML standard's e-mail field takes it: ASCII, so that lower case is all that comparing needs and no
 * two addresses merely look the same (a dotless i, the Kelvin sign, full-width letters).
 */
export const EmailSchema = z
  .string()
  .max(255)
  .pipe(z.email({ pattern: z.regexes.html5Email, error: 'is not an e-mail address (in ASCII letters)' }))

/** What an address is compared by. */
export const emailKey = (email: string): string => email.trim().toLowerCase()

/** What a person is called by. */
export const NameSchema = shownText(100)

/** Keyboards differ in how they make the same letters; see RFC 8265, section 4.2. */
const typed = (password: string) => password.normalize('NFC')

const isShortEnough = (password: string) => Buffer.byteLength(password) <= LONGEST_PASSWORD

/** Of any script: a letter is a letter, a number is a number. It is as long as what is compared, however it was typed. */
export const NewPassword = z
  .string()
  .overwrite(typed)
  .min(8)
  .max(LONGEST_PASSWORD)
  .refine((password) => /\p{L}/u.test(password), 'must have a letter')
  .refine((password) => /\p{N}/u.test(password), 'must have a number')
  .refine(isShortEnough, `must have at most ${LONGEST_PASSWORD} bytes`)

/** A password to compare: the rules for new passwords do not apply. */
export const GivenPassword = z
  .string()
  .overwrite(typed)
  .min(1)
  .max(LONGEST_PASSWORD)
  .refine(isShortEnough, `must have at most ${LONGEST_PASSWORD} bytes`)

/** A language tag of BCP 47. */
export const LocaleSchema = z.string().max(100).refine(isLocale, 'is not a BCP 47 language tag')

export const AvatarUrlSchema = z.string().max(500).refine(isHttpsUrl, 'must be an https URL')

function isHttpsUrl(url: string): boolean {
  return url.startsWith('https://') && URL.canParse(url)
}

function isLocale(tag: string): boolean {
  return succeeds(() => new Intl.Locale(tag))
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
