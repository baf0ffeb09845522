import { shortenedText } from '../../core/cut-text.ts'
import { messageOf, Problem } from '../../core/errors.ts'
import { askedWaitMs } from './asked-wait.ts'

const MOST = 200

/** Texts that look like a provider's key, in case a provider quotes a key other than the configured one. */
const KEY_LIKE =
  /\b(?:c?sk|pk|rk|xai|pplx|key)-[\w*-]{8,}|\b(?:gsk|fw|tgp)_[\w*-]{8,}|\bAIza[\w*-]{20,}|\bBearer\s+\S{8,}/gi
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+|\s+/g

/** A short single line of a foreign text for an error message: without secrets and control characters. */
export const excerpt = (text: string, secrets: readonly string[]): string => {
  const hidden = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  const line = hidden.replace(KEY_LIKE, '[redacted]').replace(UNPRINTABLE, ' ').trim()
  return shortenedText(line, MOST)
}

/** Why a provider failed. The first three are faults of the provider; in the others it answered. */
type FailureReason = 'transport' | 'timeout' | 'server' | 'refused' | 'nonsense'
type FailureDetails = { provider: string; reason: FailureReason; status?: number }

/** The place of a failure, and the texts that its message must not contain. */
export type Scene = { provider: string; name: string; model: string; secrets: readonly string[]; now: number }

const FAULTS: ReadonlySet<unknown> = new Set<FailureReason>(['transport', 'timeout', 'server'])

/** Whether a circuit breaker counts the error: only transport errors, time-outs and 5xx of a provider. */
export const isProviderFault = (thrown: unknown): boolean => FAULTS.has(reasonOf(thrown))

/** Why the provider failed; undefined for an error that is not a provider's. */
export const reasonOf = (thrown: unknown): FailureReason | undefined =>
  thrown instanceof Problem && thrown.code === 'provider_error'
    ? (thrown.details as FailureDetails | undefined)?.reason
    : undefined

/** An error of a provider; `said` is shown to callers and is cleaned here. */
export const providerError = (
  at: Scene,
  reason: FailureReason,
  said: string,
  status?: number,
  wait: { retryAfterMs?: number } = {},
): Problem => {
  const details: FailureDetails = { provider: at.provider, reason, ...(status ? { status } : {}) }
  const text = `${at.name} ${excerpt(said, at.secrets)}`
  return new Problem('unavailable', 'provider_error', text, { details, ...wait })
}

/** The fields of SDK errors, error events and Node's network errors, each possibly absent or of any type. */
type Facts = {
  name?: unknown
  message?: unknown
  code?: unknown
  type?: unknown
  statusCode?: unknown
  responseHeaders?: Readonly<Record<string, string>>
  responseBody?: unknown
  cause?: unknown
}

const facts = (thrown: unknown): Facts => (typeof thrown === 'object' && thrown !== null ? thrown : {})

const chain = (thrown: unknown): Facts[] => {
  const links: Facts[] = []
  for (let at = thrown; at !== undefined && links.length < 6; at = facts(at).cause) links.push(facts(at))
  return links
}

// Error events inside a stream that began with 200 name their kind instead of a status.
const STATUS_OF_EVENT: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  timeout_error: 504,
  api_error: 500,
  server_error: 500,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  not_found_error: 404,
  permission_error: 403,
  authentication_error: 401,
  invalid_request_error: 400,
}

const statusOf = ({ statusCode, code, type }: Facts): number | undefined => {
  const given = [statusCode, Number(code)].find((n) => typeof n === 'number' && n >= 400 && n < 600)
  return (given as number | undefined) ?? STATUS_OF_EVENT[String(type)] ?? STATUS_OF_EVENT[String(code)]
}

const TIMED_OUT = /^(UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT)$/
const DROPPED = /^(UND_ERR_\w+|E[A-Z]{4,}|HPE_\w+|CERT_\w+|ERR_(TLS|SSL)_\w+)$/
const CUT = /without a (finish|completion)|^terminated$|^fetch failed$/

const networkReason = (links: readonly Facts[]): FailureReason | undefined => {
  const codes = links.map(({ code }) => String(code))
  if (codes.some((code) => TIMED_OUT.test(code)) || links.some(({ name }) => name === 'TimeoutError'))
    return 'timeout'
  const dropped = codes.some((code) => DROPPED.test(code))
  return dropped || links.some(({ message }) => CUT.test(String(message))) ? 'transport' : undefined
}

const answered = (at: Scene, status: number, said: string, wait: { retryAfterMs?: number }): Problem => {
  if (status === 429) {
    const text = `${at.name} limits the rate of calls: ${excerpt(said, at.secrets)}`
    return new Problem('rate_limited', 'rate_limited', text, wait)
  }
  if (status >= 500) return providerError(at, 'server', `failed (HTTP ${status}): ${said}`, status, wait)
  if (status === 401 || status === 403)
    return providerError(at, 'refused', `refused the API key (HTTP ${status}): ${said}`, status, wait)
  if (status === 404 && /model/i.test(said)) {
    const text = `${at.name} does not know the model "${at.model}": ${excerpt(said, at.secrets)}`
    return new Problem('invalid', 'model_unknown', text)
  }
  return providerError(at, 'refused', `refused the request (HTTP ${status}): ${said}`, status, wait)
}

const MALFORMED_REQUEST = /^AI_(InvalidPrompt|MissingToolResults?|InvalidArgument|InvalidMessageRole)/

const NETWORK_TEXT = {
  timeout: 'did not answer in time',
  transport: 'could not be reached, or cut the answer off',
}

/**
 * The error of a step for any failure in it. The message never contains the key, and only a short excerpt of the
 * provider's text; the original error is dropped, since it has the whole request.
 */
export const toProblem = (thrown: unknown, at: Scene): Problem => {
  if (thrown instanceof Problem) return thrown
  const links = chain(thrown)
  const said = typeof links[0]?.message === 'string' ? links[0].message : messageOf(thrown)
  const name = String(links[0]?.name)
  if (MALFORMED_REQUEST.test(name))
    return new Problem('invalid', 'messages_invalid', excerpt(said, at.secrets))
  const status = links.map(statusOf).find((found) => found !== undefined)
  if (status !== undefined) {
    const { responseHeaders: headers, responseBody: body } = links[0] ?? {}
    const waitMs = askedWaitMs({ status, headers, body, said }, at.now)
    return answered(at, status, said, waitMs === undefined ? {} : { retryAfterMs: waitMs })
  }
  const network = networkReason(links)
  const deepest =
    links.findLast(({ message }) => typeof message === 'string' && message !== '')?.message ?? said
  if (network === 'timeout' || network === 'transport')
    return providerError(at, network, `${NETWORK_TEXT[network]}: ${deepest}`)
  return providerError(at, 'nonsense', `answered what could not be read: ${said}`)
}
