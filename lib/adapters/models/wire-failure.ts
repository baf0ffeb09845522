import { type Fields, fieldsIn, textIn } from './wire-fields.ts'

/**
 * Why a provider failed. `transport`: no connection, no answer in time, a redirect, or an answer that was cut off.
 * `status`: it failed with a status from 500, or says in its answer that it failed. `unreadable`: its answer is no answer
 * of its protocol. `too_large`: its answer is above a limit. `context_length`: the prompt is longer than the model's
 * context window. `refused`: it refuses the request.
 */
export type FailureReason = 'transport' | 'status' | 'unreadable' | 'too_large' | 'context_length' | 'refused'

type Facts = {
  /** Derived from the status when absent. */
  reason?: FailureReason
  status?: number
  headers?: Readonly<Record<string, string>>
  /** The whole text of an error answer, which may say when to try again. */
  body?: string
  /** The provider said nothing until the time limit. */
  isSilence?: true
}

/** A failure of an exchange with a provider, in its words or ours: a library's error may quote addresses or headers. */
export class WireFailure extends Error {
  readonly facts: Facts

  constructor(said: string, facts: Facts) {
    super(said)
    this.name = 'WireFailure'
    this.facts = facts
  }
}

export const tooLarge = (said: string) => new WireFailure(said, { reason: 'too_large' })
export const unreadable = () => new WireFailure('returned an unreadable response', { reason: 'unreadable' })

// Error events inside a stream that began with 200 name their kind instead of a status.
const STATUS_OF_KIND: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  timeout_error: 504,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  permission_error: 403,
  billing_error: 402,
  authentication_error: 401,
  invalid_api_key: 401,
  invalid_request_error: 400,
  context_length_exceeded: 400,
}

/** The name of a kind of error that says that the prompt does not fit. */
const TOO_LONG_KIND = /^(context_length_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded)$/

const statusIn = ({ code, status, statusCode, type }: Fields): number | undefined => {
  const numbers = [code, status, statusCode].map(Number)
  const numeric = numbers.find((n) => Number.isInteger(n) && n >= 400 && n < 600)
  return numeric ?? STATUS_OF_KIND[String(type)] ?? STATUS_OF_KIND[String(code)]
}

/** The words of an error in any of the forms that providers and their proxies send. */
const wordsIn = (given: unknown): string => {
  if (typeof given === 'string') return given
  if (Array.isArray(given)) return given.map(wordsIn).filter(Boolean).join('; ')
  const { message, msg, detail, error, type, code } = fieldsIn(given)
  const said = [message, msg, detail, error].map((each) => (each ? wordsIn(each) : '')).find(Boolean)
  return said ?? textIn(type) ?? textIn(code) ?? ''
}

const isEmpty = (given: unknown): boolean =>
  !given || (typeof given === 'object' && Object.keys(given).length === 0)

/** The value of an object that is its error; undefined when it has none. */
const errorValueIn = (answer: Fields): unknown => {
  const { error, errors, detail, type, object } = answer
  const named = [error, errors, detail].find((each) => !isEmpty(each))
  if (named !== undefined) return named
  return type === 'error' || object === 'error' ? answer : undefined
}

const toFailure = (error: unknown, outer: Fields, facts: Facts): WireFailure => {
  const inner = fieldsIn(error)
  const status = facts.status ?? statusIn(inner) ?? statusIn(outer)
  const isTooLong = [inner.code, inner.type, outer.code].some((kind) => TOO_LONG_KIND.test(String(kind)))
  return new WireFailure(wordsIn(error), {
    ...facts,
    ...(status === undefined ? {} : { status }),
    ...(isTooLong ? { reason: 'context_length' } : {}),
  })
}

/** The failure that an event, or a whole answer with status 200, reports in one of the usual forms. */
export const failureIn = (answer: Fields): WireFailure | undefined => {
  const error = errorValueIn(answer)
  return error === undefined ? undefined : toFailure(error, answer, { body: JSON.stringify(error) })
}

/** The failure of an answer that is one JSON document, but no answer of its protocol: in its own words, if it has some. */
export const failedDocument = (document: Fields): WireFailure =>
  textIn(document.message ?? document.msg) === undefined
    ? unreadable()
    : toFailure(document, document, { body: JSON.stringify(document) })

/** The failure that a text reports, as JSON in one of the usual forms or in plain words. */
const reportedFailure = (text: string, facts: Facts): WireFailure => {
  try {
    const answer: unknown = JSON.parse(text)
    return toFailure(errorValueIn(fieldsIn(answer)) ?? answer, fieldsIn(answer), facts)
  } catch {
    // A page of a proxy is not shown.
    return new WireFailure(text.trimStart().startsWith('<') ? '' : text.trim(), facts)
  }
}

/** The failure of a server-sent event that is named `error`. */
export const failedEvent = (data: string): WireFailure => reportedFailure(data, { body: data })

/** The failure of an answer with an error status. */
export const failedAnswer = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): WireFailure => {
  // A redirect could carry the key to another host; no provider's API redirects.
  if (status < 400)
    return new WireFailure(`responded with a redirect (HTTP ${status}), which is not followed`, {
      reason: 'transport',
    })
  return reportedFailure(body, { status, headers, body })
}

/** An error and its causes, the outermost first. */
export const causeChain = (thrown: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let at = thrown; at !== undefined && at !== null && chain.length < 6; at = Object(at).cause)
    chain.push(at)
  return chain
}

const TIMED_OUT = /^(UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT)$/
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,40}$/

/** The failure of a connection: by the system's code, since messages of the HTTP client name addresses. */
export const lostConnection = (thrown: unknown): WireFailure => {
  const links = causeChain(thrown).map(fieldsIn)
  const code = links.map(({ code }) => code).find((each) => SYSTEM_CODE.test(String(each)))
  const isLate = TIMED_OUT.test(String(code)) || links.some(({ name }) => name === 'TimeoutError')
  const said = isLate ? 'did not respond in time' : 'could not be reached, or the connection was lost'
  return new WireFailure(code === undefined ? said : `${said} (${code})`, {
    reason: 'transport',
    ...(isLate ? { isSilence: true } : {}),
  })
}
