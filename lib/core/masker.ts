import { MASKED, mask, maskText, memoize } from './redact.ts'
import { secretForms } from './secret-forms.ts'
import { createSecretMatcher, formsPattern, type SecretMatcher } from './secret-matcher.ts'
import { createStreamMasker, type StreamMasker } from './stream-masker.ts'

/** Masks configured secrets, whole ones only: masking a beginning would reveal the secret character by character. */
export type Masker = {
  /** Masks every form that programs write secrets in. The result is well-formed Unicode. */
  text(text: string): string
  /** Masks every text and key of JSON data, as `text` does. */
  data<T>(data: T): T
  /** Masks a text that comes in pieces; the output does not depend on where the text is cut. */
  stream(): StreamMasker
  /** Masks messages in their order: also the second half of a secret that began in an earlier message. */
  messages(): (text: string) => string
  /** For logs, records and titles: also masks texts that look like secrets. */
  logText(text: string): string
  /** Returns a copy for a log, without configured secrets, secret fields, and texts that look like secrets. */
  logValue(value: unknown): unknown
  /** Adds a secret. It is masked until the returned function was called as often as the secret was added. */
  learn(secret: string): () => void
}

/** Ids that the service makes for requests and tasks, a kind and a ULID. They are in most lines of a log, and hold no secret. */
const OWN_ID = /^(?:req|task)_[0-9A-HJKMNP-TV-Z]{26}$/

const compile = (secrets: readonly string[]) => {
  const forms = [...new Set(secrets.flatMap(secretForms))]
  const longest = Math.max(0, ...forms.map(({ length }) => length))
  return { longest, pattern: formsPattern(forms), matcher: createSecretMatcher(forms) }
}

export const createMasker = (secrets: readonly string[]): Masker => {
  const learned = new Map<string, number>()
  let known = compile(secrets)
  // A stream that has begun also masks secrets that are added later.
  const matcher: SecretMatcher = {
    next: (text, from) => known.matcher.next(text, from),
    openFrom: (text, from) => known.matcher.openFrom(text, from),
  }

  const text = (value: string) => value.toWellFormed().replace(known.pattern, MASKED)
  const { get: masked, clear: forget } = memoize((value) => maskText(text(value)))
  const logText = (value: string) => (OWN_ID.test(value) ? value : masked(value))

  const data = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(data)
    return Object.fromEntries(Object.entries(value).map(([key, value]) => [text(key), data(value)]))
  }

  const messages = () => {
    let before = ''
    return (value: string) => {
      const { pattern, longest } = known
      const from = before.length
      const all = before + value
      before = all.slice(Math.max(0, all.length - longest + 1))
      const straddling = [...all.matchAll(pattern)].find(({ index, 0: { length } }) => index + length > from)
      const isSplit = straddling !== undefined && straddling.index < from
      if (!isSplit) return text(value)
      return MASKED + text(all.slice(straddling.index + straddling[0].length))
    }
  }

  const count = (secret: string, by: 1 | -1) => {
    const left = (learned.get(secret) ?? 0) + by
    if (left > 0) learned.set(secret, left)
    else learned.delete(secret)
    // Only the first addition and the last removal of a secret change the forms.
    if (left !== (by === 1 ? 1 : 0)) return
    known = compile([...secrets, ...learned.keys()])
    forget()
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
    text,
    data: data as Masker['data'],
    messages,
    logText,
    learn,
    stream: () => createStreamMasker(matcher),
    logValue: (value) => mask(value, logText),
  }
}
