import { shortenedText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import type { Masker } from '../../core/masker.ts'
import { askedWaitMs } from './asked-wait.ts'
import type { Provider } from './resolve.ts'
import { usageLimitMs } from './usage-limit-wait.ts'
import { causeChain, type FailureReason, failedAnswer, lostConnection, WireFailure } from './wire-failure.ts'

const MOST = 200

/** Texts that look like a provider's key, in case a provider quotes a key other than the configured one. */
const KEY_LIKE =
  /\b(?:c?sk|pk|rk|xai|pplx|key)-[\w*-]{8,}|\b(?:gsk|fw|tgp)_[\w*-]{8,}|\bAIza[\w*-]{20,}|\bBearer\s+\S{8,}/gi
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+|\s+/g

/** Masks the key of a provider and the credentials in its base URL, also short ones, and all that the service knows. */
export const hiding =
  ({ apiKey, baseUrl }: Pick<Provider, 'apiKey' | 'baseUrl'>, masker: Pick<Masker, 'text'>) =>
  (text: string): string => {
    const { username, password } = new URL(baseUrl)
    return [apiKey, username, password]
      .filter((secret) => secret.length >= 4)
      .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), masker.text(text))
  }

/** A short single line of a foreign text for an error message: without secrets and control characters. */
export const excerpt = (text: string, hide: (text: string) => string): string => {
  const line = hide(text).replace(KEY_LIKE, '[redacted]').replace(UNPRINTABLE, ' ').trim()
  return shortenedText(line, MOST)
}

/** The place of a failure; `hide` masks secrets in the words of the provider. */
export type Scene = {
  provider: string
  name: string
  model: string
  hide: (text: string) => string
  now: number
}

/** The place of failures of a provider's model, at a time in epoch milliseconds. */
export const sceneFor = (provider: Provider, model: string, now: number, masker: Masker): Scene => ({
  provider: provider.kind,
  name: provider.entry.name,
  model,
  hide: hiding(provider, masker),
  now,
})

type FailureDetails = { provider: string; reason: FailureReason; status?: number }
type More = {
  status?: number
  isSilence?: boolean
  retryAfterMs?: number
  /** The context window that the provider named, in tokens. */
  contextTokens?: number | undefined
}

class ProviderFailure extends Problem {
  readonly reason: FailureReason
  /** Whether the provider is at fault, and not the request. */
  readonly isFault: boolean
  /** Whether the same request may succeed soon. A silent provider is not tried again: it took minutes. */
  readonly isTemporary: boolean
  readonly contextTokens: number | undefined

  constructor(at: Scene, reason: FailureReason, said: string, more: More = {}) {
    const { status, isSilence = false, retryAfterMs } = more
    const details: FailureDetails = { provider: at.provider, reason, ...(status ? { status } : {}) }
    const words = excerpt(said, at.hide)
    super('unavailable', 'provider_error', words === '' ? at.name : `${at.name} ${words}`, {
      details,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
    this.reason = reason
    this.contextTokens = more.contextTokens
    this.isFault = reason === 'transport' || (reason === 'status' && (status ?? 500) >= 500)
    this.isTemporary = this.isFault && !isSilence
  }
}

/** Whether a circuit breaker counts the error: only transport errors, time-outs and 5xx of a provider. */
export const isProviderFault = (thrown: unknown): boolean =>
  thrown instanceof ProviderFailure && thrown.isFault

/** Whether another try of the same request may succeed. */
export const isTemporaryFault = (thrown: unknown): boolean =>
  thrown instanceof ProviderFailure && thrown.isTemporary

/** The context window that a provider named when it refused a prompt; undefined when it named none. */
export const namedContextTokens = (thrown: unknown): number | undefined =>
  thrown instanceof ProviderFailure ? thrown.contextTokens : undefined

/** An error of a provider; `said` is shown to callers and is cleaned here. */
export const providerError = (at: Scene, reason: FailureReason, said: string, more?: More): Problem =>
  new ProviderFailure(at, reason, said, more)

const withWords = (text: string, said: string): string => (said === '' ? text : `${text}: ${said}`)

/** Words of providers that say that the prompt does not fit the model's context window. */
const TOO_LONG =
  /context[ _-]?(length|window|size|limit)|maximum (context|prompt)|exceeded model token limit|`inputs` (tokens|must)|prompt (is )?too long|input is too long|too many (input )?tokens|exceeds? the (maximum|limit|max)[^.]{0,40} tokens|reduce the length of/i

const isTooLong = (status: number, said: string): boolean =>
  status === 413 || ((status === 400 || status === 422 || status === 500) && TOO_LONG.test(said))

const ofStatus = (at: Scene, status: number, failure: WireFailure): Problem => {
  const { message: said, facts } = failure
  const { headers, body } = facts
  const waitMs = askedWaitMs({ status, headers, body, said }, at.now)
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs }
  const limitMs = usageLimitMs(status, body ?? said, waitMs, at.now)
  if (limitMs !== undefined) {
    const text = withWords(`${at.name} has reached a usage limit`, excerpt(said, at.hide))
    return new Problem('rate_limited', 'rate_limited', text, { retryAfterMs: limitMs })
  }
  if (status === 429) {
    const text = withWords(`${at.name} is rate limiting`, excerpt(said, at.hide))
    return new Problem('rate_limited', 'rate_limited', text, wait)
  }
  if (facts.reason === 'context_length' || isTooLong(status, said)) return tooLongFor(at, failure)
  const more = { status, ...wait }
  if (status >= 500) return providerError(at, 'status', withWords(`failed (HTTP ${status})`, said), more)
  if (status === 401 || status === 403)
    return providerError(at, 'refused', withWords(`rejected the API key (HTTP ${status})`, said), more)
  if (status === 404 && /model/i.test(said)) {
    const text = `${at.name} does not know the model "${at.model}": ${excerpt(said, at.hide)}`
    return new Problem('invalid', 'model_unknown', text)
  }
  return providerError(at, 'refused', withWords(`rejected the request (HTTP ${status})`, said), more)
}

/** The ways in which providers name the window when they refuse a prompt. */
const WINDOWS = [
  /\bn_ctx"?\s*:\s*(\d+)/,
  /(\d+) maximum context/i,
  /maximum (?:context|prompt|model|input)\D{0,60}?(\d+)/i,
  /(?:> |tokens allowed \(|token limit: |must be <= |less than |cannot exceed )(\d+)/i,
  /context (?:size|window|length|limit)\D{0,40}?(\d+)/i,
]

const windowIn = (text: string): number | undefined =>
  WINDOWS.map((pattern) => Number(pattern.exec(text)?.[1])).find(
    (tokens) => Number.isSafeInteger(tokens) && tokens > 0,
  )

const tooLongFor = (at: Scene, { message: said, facts: { status, body = '' } }: WireFailure): Problem =>
  providerError(
    at,
    'context_length',
    withWords('rejected the prompt because it exceeds the context window of the model', said),
    { ...(status === undefined ? {} : { status }), contextTokens: windowIn(said) ?? windowIn(body) },
  )

const ofWire = (at: Scene, failure: WireFailure): Problem => {
  const { message: said, facts } = failure
  const { reason, status, isSilence = false } = facts
  if (status !== undefined) return ofStatus(at, status, failure)
  if (reason === 'context_length' || (reason === undefined && TOO_LONG.test(said)))
    return tooLongFor(at, failure)
  if (reason === undefined) return providerError(at, 'refused', withWords('reported an error', said))
  return providerError(at, reason, said, { isSilence })
}

type ErrorAnswer = { status: number; headers: NodeJS.Dict<string | string[]>; body: string }

/** The failure of a call that a program made: an error answer of the provider, or the loss of its connection. */
export const readFailure = (
  provider: Provider,
  failed: ErrorAnswer | Error,
  { now, masker }: { now: number; masker: Masker },
): Problem => {
  const scene = sceneFor(provider, provider.model, now, masker)
  if (failed instanceof Error) return toProblem(lostConnection(failed), scene)
  const { status, headers, body } = failed
  const joined = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return toProblem(failedAnswer(status, Object.fromEntries(joined), body), scene)
}

const MALFORMED_REQUEST = /^AI_(InvalidPrompt|MissingToolResults?|InvalidArgument|InvalidMessageRole)/

/** The error of a step for any failure in it. The original is dropped: it has the whole request, and a library's words. */
export const toProblem = (thrown: unknown, at: Scene): Problem => {
  if (thrown instanceof Problem) return thrown
  const failure = causeChain(thrown).find((cause) => cause instanceof WireFailure)
  if (failure) return ofWire(at, failure)
  if (MALFORMED_REQUEST.test(String(Object(thrown).name)))
    return new Problem(
      'invalid',
      'messages_invalid',
      'The messages are inconsistent. Each tool call needs its result, and each result its call',
    )
  return providerError(at, 'unreadable', 'returned an unreadable response')
}
