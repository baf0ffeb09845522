/** Names of fields, states, operations and most messages are shorter than this; ids are longer. */
const LONGEST_MEMOIZED = 24
const MOST_MEMOIZED = 2_000

/** Memoizes a function of short texts, since lines of a log repeat most of theirs. `clear` drops outdated results. */
export const memoize = <Result>(find: (text: string) => Result) => {
  const results = new Map<string, Result>()
  const get = (text: string): Result => {
    if (text.length > LONGEST_MEMOIZED) return find(text)
    const known = results.get(text)
    if (known !== undefined) return known
    const found = find(text)
    if (results.size >= MOST_MEMOIZED) results.clear()
    results.set(text, found)
    return found
  }
  return { get, clear: () => results.clear() }
}

export const MASKED = '[masked]'

const SECRET_KEY =
  /password|passwd|passphrase|(?:authorization|cookies?|token|secret|credentials?|(?:api|access|private|secret|signing|master)[-_]?key)$/i

/** Whether a field name stands for a secret: `apiKey`, `AWS_SECRET_ACCESS_KEY`, `set-cookie` and the like. */
export const isSecretKey = memoize((key) => SECRET_KEY.test(key)).get

// Every pattern takes linear time: no unbounded part can start at each of its own characters.
const SECRET_TEXTS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g, MASKED],
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, `$1 ${MASKED}`],
  [/\b(basic)\s+(?=[A-Za-z]{0,200}[0-9+/=])[\w+/=-]{8,}/gi, `$1 ${MASKED}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASKED],
  [/\b(?:sk|rk|gsk|xai|hf|gh[oprsu]|github_pat|glpat|xox[abeprs]|whsec|svc|lin_api)[-_][\w=-]{12,}/g, MASKED],
  [/\b(?:AIza|AKIA|ASIA)[\w-]{12,}/g, MASKED],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${MASKED}@`],
  [
    /((?:password|token|secret|(?:api|access)[-_]?key)(?:=|"\s{0,3}:\s{0,3}"))[^\s"'&,;]{4,}/gi,
    `$1${MASKED}`,
  ],
]

// No pattern matches a shorter text.
const SHORTEST = 6

/** Masks texts that look like secrets: bearer credentials, web tokens, API keys, private keys, passwords in URLs. */
export const maskText = (text: string): string =>
  text.length < SHORTEST
    ? text
    : SECRET_TEXTS.reduce((masked, [pattern, instead]) => masked.replace(pattern, instead), text)

// A log line shows the shape of an object, not a whole heap. This limit also ends cycles.
const DEEPEST = 8
const MOST_VALUES = 1_000

type Pass = { left: number; maskString: (text: string) => string }

/** A copy for a log: secrets masked by key and look, bytes as their count, deep or long parts cut off. Never throws. */
export const mask = (value: unknown, maskString = maskText): unknown =>
  maskValue(value, DEEPEST, { left: MOST_VALUES, maskString })

const maskValue = (value: unknown, depth: number, pass: Pass): unknown => {
  if (typeof value === 'string') return pass.maskString(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  try {
    return maskObject(value, depth, pass)
  } catch {
    return '[unreadable]'
  }
}

const maskObject = (value: object, depth: number, pass: Pass): unknown => {
  if (depth === 0) return '[cut]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return maskItems(value, depth - 1, pass)
  if (value instanceof Error) return maskFields(plainError(value), depth - 1, pass)
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return maskValue(value.toJSON(), depth - 1, pass)
  return maskFields(value as Readonly<Record<string, unknown>>, depth - 1, pass)
}

const plainError = (error: Error): Record<string, unknown> => ({
  type: error.name,
  stack: error.stack,
  cause: error.cause,
  ...error,
  message: error.message,
})

const maskItems = (items: readonly unknown[], depth: number, pass: Pass): unknown[] => {
  const maskedItems: unknown[] = []
  for (const item of items) {
    if (pass.left-- <= 0) return [...maskedItems, '[cut]']
    maskedItems.push(maskValue(item, depth, pass))
  }
  return maskedItems
}

const maskFields = (fields: Readonly<Record<string, unknown>>, depth: number, pass: Pass): object => {
  const maskedFields: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) {
    if (key === '__proto__') continue
    if (pass.left-- <= 0) return { ...maskedFields, '[cut]': true }
    maskedFields[pass.maskString(key)] = isSecretKey(key)
      ? maskSecret(fields[key])
      : maskValue(fields[key], depth, pass)
  }
  return maskedFields
}

// Whether a secret exists is useful to know and reveals nothing.
const maskSecret = (secret: unknown): unknown =>
  secret === undefined || secret === null || typeof secret === 'boolean' ? secret : MASKED
