/** An answer that is no success. `code` is the service's stable word for it; details are those of a validation. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly requestId: string | undefined
  /** How long the service asked to wait before the next try. */
  readonly retryAfterMs: number | undefined
  /** The answer as it came: parsed when it was JSON, else text. */
  readonly body: unknown

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const said = fieldsOf(body)
    super(typeof said.error === 'string' ? said.error : `The service answered ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = typeof said.code === 'string' ? said.code : `http_${status}`
    this.details = said.details
    this.requestId = headers.get('x-request-id') ?? undefined
    this.retryAfterMs = secondsIn(headers.get('retry-after'))
    this.body = body
  }
}

/** What stands between may answer in any form, or none. */
const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

const secondsIn = (text: string | null) =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : undefined
