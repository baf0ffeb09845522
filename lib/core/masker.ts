import { MASKED, mask, maskText } from './redact.ts'
import { secretForms } from './secret-forms.ts'
import { createSecretMatcher, type SecretMatcher } from './secret-matcher.ts'
import { createStreamMasker, type StreamMasker } from './stream-masker.ts'

/**
 * Takes the configured secrets out of what leaves the service by agents, tools, logs and records. Only a whole secret is
 * masked: masking the beginning of one would tell an agent, character by character, what comes next.
 */
export type Masker = {
  /** The text without the configured secrets, however they are written; the same text where there is none. */
  text(text: string): string
  /** JSON data, every text and key of it as by `text`. */
  data<T>(data: T): T
  /** As `text`, for a text that comes in pieces: however it is cut, the same comes out. */
  stream(): StreamMasker
  /** As `text`, for messages that follow each other: what ends a secret that began in an earlier one is masked as well. */
  messages(): (text: string) => string
  /** For logs, records and titles: without what looks like a secret either. */
  logText(text: string): string
  /** A copy fit for a log, without configured secrets, secret fields and what looks like a secret. */
  logValue(value: unknown): unknown
  /** Masks one more secret like the configured ones, until what it returns is called as often as it was learned. */
  learn(secret: string): () => void
}

/** Finds the forms of secrets. */
const compile = (secrets: readonly string[]) => {
  // The longest first, so that no secret is taken for a shorter one that it begins with.
  const forms = [...new Set(secrets.flatMap(secretForms))].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(forms.length === 0 ? '(?!)' : forms.map(RegExp.escape).join('|'), 'g')
  return { longest: forms[0]?.length ?? 0, pattern, matcher: createSecretMatcher(forms) }
}

/** The one masker of a process, of all secrets that it was given. */
export const createMasker = (secrets: readonly string[]): Masker => {
  const learned = new Map<string, number>()
  let known = compile(secrets)
  // A stream that has begun hides what is learned meanwhile.
  const matcher: SecretMatcher = {
    lengthAt: (text, at) => known.matcher.lengthAt(text, at),
    isOpenAt: (text, at) => known.matcher.isOpenAt(text, at),
  }

  const text = (given: string) => given.replace(known.pattern, MASKED)
  const logText = (given: string) => maskText(text(given))

  const data = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given)
    if (typeof given !== 'object' || given === null) return given
    if (Array.isArray(given)) return given.map(data)
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [text(key), data(value)]))
  }

  const messages = () => {
    let before = ''
    return (given: string) => {
      const { pattern, longest } = known
      const from = before.length
      const all = before + given
      before = all.slice(Math.max(0, all.length - longest + 1))
      const straddling = [...all.matchAll(pattern)].find(({ index, 0: { length } }) => index + length > from)
      const isSplit = straddling !== undefined && straddling.index < from
      if (!isSplit) return text(given)
      return MASKED + text(all.slice(straddling.index + straddling[0].length))
    }
  }

  const count = (secret: string, by: 1 | -1) => {
    const left = (learned.get(secret) ?? 0) + by
    if (left > 0) learned.set(secret, left)
    else learned.delete(secret)
    // Only the first to learn it and the last to forget it change what is known.
    if (left === (by === 1 ? 1 : 0)) known = compile([...secrets, ...learned.keys()])
  }

  const learn = (secret: string) => {
    let isLearned = true
    count(secret, 1)
    return () => {
      if (isLearned) count(secret, -1)
      isLearned = false
    }
  }

  return {
    ...{ text, data: data as Masker['data'], messages, logText, learn },
    stream: () => createStreamMasker(matcher),
    logValue: (value) => mask(value, logText),
  }
}
