import { hash } from 'node:crypto'
import * as z from 'zod'
import { cutText, shortenedText } from './cut-text.ts'

/** Only the beginning of a message is compared: few messages vary there only later. */
const MOST_READ = 2_000
const LONGEST = 300
const DIGITS = 16

/** What varies between failures of one cause. The order matters: quotes hold addresses, these paths, these ids. */
const FOLDS: readonly (readonly [RegExp, string])[] = [
  [/"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu, '<text>'],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>)\]}]+/gi, '<url>'],
  [/(?:\b[a-z]:)?[\w.@~+-]*(?:[/\\][\w.@~+-]+)+[/\\]?(?::\d+(?::\d+)?)?/gi, '<path>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?:[a-z]+_)?[0-9A-HJKMNP-TV-Z]{26}\b/g, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b/gi, '<hex>'],
  [/\b(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[a-z0-9_-]{16,}\b/gi, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** The message of a failure without the parts that vary between failures of the same cause. */
export const foldedMessage = (message: string): string => {
  let text = cutText(message, MOST_READ)
  for (const [varying, sign] of FOLDS) text = text.replace(varying, sign)
  text = text.trim()
  return shortenedText(text, LONGEST)
}

type Failure = { code: string; message: string; agent: string }

/** The fingerprint of a failure's group: failures of one agent with the same code and the same folded message. */
export const failureFingerprint = ({ code, message, agent }: Failure): string =>
  hash('sha256', JSON.stringify([code, foldedMessage(message), agent])).slice(0, DIGITS)

/** A fingerprint that `failureFingerprint` returns. */
export const FingerprintSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'is not the fingerprint of a failure group')
  .meta({ examples: ['3f2a9c1b7d4e6f80'] })
