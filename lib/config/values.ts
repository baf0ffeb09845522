import * as querystring from 'node:querystring'
import * as z from 'zod'

export const text = z.string().trim().min(1)

/** A secret that programs are given by hand, and that is no API token: long, and not a word or a sample that was left in. */
export const sharedToken = z
  .string()
  .trim()
  .regex(
    /^[\x21-\x7e]{32,1000}$/,
    'must have 32 to 1000 characters without spaces. Create one with: openssl rand -hex 32',
  )
  .refine((value) => new Set(value).size >= 8, 'must be random. Create one with: openssl rand -hex 32')

/** The name of a label at a code host or tracker. */
export const label = (fallback: string) => text.max(200, 'must have at most 200 characters').default(fallback)

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

export const int = (least: number, most: number, fallback: number) =>
  wholeNumber(least, most).default(fallback)

/** A limit: 0, the default, means that there is none; other values are at least `least`. */
export const noLimitOr = (least: number, most: number) =>
  wholeNumber(0, most)
    .refine((value) => value === 0 || value >= least, `must be 0 (no limit) or at least ${least}`)
    .default(0)

/** An amount of US dollars, such as `49.90`; 0, the default, means that there is no limit. */
export const dollars = (most: number) =>
  z
    .string()
    .regex(/^\d{1,12}(?:\.\d{1,6})?$/, 'must be an amount of US dollars, such as 49.90')
    .transform(Number)
    .pipe(z.number().max(most, `must be at most ${most}`))
    .default(0)

export const bool = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((word) => word === 'true')

const parts = (value: string) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const list = z.string().default('').transform(parts)

/** As `list`; absent when unset. */
export const listIfGiven = z.string().transform(parts).optional()

/** Some of these words, separated by commas, each once. */
export const wordList = <const Word extends string>(words: readonly Word[]) =>
  list.transform((given, context): Word[] => {
    for (const word of given)
      if (!words.includes(word as Word))
        context.addIssue({ code: 'custom', message: `"${word}" is not one of ${words.join(', ')}` })
    return [...new Set(given)] as Word[]
  })

/** A fixed number of whole numbers, separated by commas. */
export const ints = (fallback: readonly number[], most: number) =>
  z
    .string()
    .default(fallback.join(','))
    .transform(parts)
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^\d{1,12}$/, 'must be whole numbers, separated by commas')
            .transform(Number),
        )
        .length(fallback.length, `must be ${fallback.length} numbers, separated by commas`)
        .refine((values) => values.every((value) => value <= most), `each must be at most ${most}`),
    )

export const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional()

/** A URL that paths from the root of its host are appended to: normalized as browsers do, without a trailing slash. */
export const baseUrl = url.transform((text, context) => {
  if (text === undefined) return undefined
  const { origin, pathname, username, password, search, hash } = new URL(text)
  if (pathname !== '/' || username + password + search + hash !== '')
    context.addIssue({
      code: 'custom',
      message:
        'must be a URL without path, credentials, query or fragment, such as https://tasks.example.com',
    })
  return origin
})

/** A mail server: `smtp://` (with STARTTLS where it is offered) or `smtps://`, with a user and a password where it asks for them. */
export const mailServer = z
  .string()
  .trim()
  .refine((text) => {
    const { protocol = '', hostname = '', pathname = '', search = '', hash = '' } = URL.parse(text) ?? {}
    const isBare = (pathname === '' || pathname === '/') && search + hash === ''
    return (protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' && isBare
  }, 'must be a URL such as smtps://user:password@mail.example.com, without path or query')
  .optional()

/** An address of email, alone or with a name: `Agent Tasks <tasks@example.com>`. */
export const mailAddress = z
  .string()
  .trim()
  .max(320)
  .regex(
    /^(?:[^<>"@,;:\p{Cc}]*<[^<>"@,;:\s]+@[^<>"@,;:\s]+>|[^<>"@,;:\s]+@[^<>"@,;:\s]+)$/u,
    'must be an email address, such as tasks@example.com or Agent Tasks <tasks@example.com>',
  )
  .optional()

/** As `baseUrl`, for https only. */
export const httpsUrl = baseUrl.refine(
  (origin) => origin === undefined || origin.startsWith('https:'),
  'must be an https URL',
)

/** Headers in OpenTelemetry's form: `name=value,name=value`, with percent-encoded values. */
export const headerPairs = z
  .string()
  .transform((text, context): Record<string, string> => {
    const headers: Record<string, string> = {}
    for (const pair of parts(text)) {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+)\s*=\s*([\x20-\x7e]+)$/.exec(pair) ?? []
      if (name === '')
        context.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas' })
      else headers[name.toLowerCase()] = querystring.unescape(value)
    }
    return headers
  })
  .optional()

/** 32 bytes, in hexadecimal or base64. */
export const key32 = z
  .string()
  .transform((value) => Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? 'hex' : 'base64'))
  .refine((bytes) => bytes.length === 32, 'must be 32 bytes, in hexadecimal or base64')
