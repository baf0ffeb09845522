import { MASKED, mask, maskText } from './redact.ts'
import { secretForms } from './secret-forms.ts'

/**
 * Takes the configured secrets out of what leaves the service by agents, tools, logs and records. Only a whole secret is
 * masked: masking the beginning of one would tell an agent, character by character, what comes next.
 */
export type Masker = {
  /** The text without the configured secrets, however they are written; the same text where there is none. */
  text(text: string): string
  /** JSON data, every text and key of it as by `text`. */
  data<T>(data: T): T
  /** As `text`, for texts that follow each other: what ends a secret that began in an earlier one is masked as well. */
  stream(): (text: string) => string
  /** For logs, records and titles: without what looks like a secret either. */
  logText(text: string): string
  /** A copy fit for a log, without configured secrets, secret fields and what looks like a secret. */
  logValue(value: unknown): unknown
}

/** The one masker of a process, of all secrets that it was given. */
export const createMasker = (secrets: readonly string[]): Masker => {
  // The longest first, so that no secret is taken for a shorter one that it begins with.
  const forms = [...new Set(secrets.flatMap(secretForms))].sort((a, b) => b.length - a.length)
  const longest = forms[0]?.length ?? 0
  const pattern = new RegExp(forms.length === 0 ? '(?!)' : forms.map(RegExp.escape).join('|'), 'g')

  const text = (given: string) => given.replace(pattern, MASKED)
  const logText = (given: string) => maskText(text(given))

  const data = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given)
    if (typeof given !== 'object' || given === null) return given
    if (Array.isArray(given)) return given.map(data)
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [text(key), data(value)]))
  }

  const stream = () => {
    let before = ''
    return (given: string) => {
      const from = before.length
      const all = before + given
      before = all.slice(Math.max(0, all.length - longest + 1))
      const straddling = [...all.matchAll(pattern)].find(({ index, 0: { length } }) => index + length > from)
      const isSplit = straddling !== undefined && straddling.index < from
      if (!isSplit) return text(given)
      return MASKED + text(all.slice(straddling.index + straddling[0].length))
    }
  }

  return { text, data: data as Masker['data'], stream, logText, logValue: (value) => mask(value, logText) }
}
