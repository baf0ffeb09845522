/** An error status, or no JSON where the service answers JSON. `code` is the service's, else `http_` and the status. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly requestId: string | undefined
  /** The wait that the service asks for before the next try. */
  readonly retryAfterMs: number | undefined
  readonly body: unknown

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const fields = toRecord(body)
    super(
      typeof fields.error === 'string'
        ? fields.error
        : `The service answered ${status}${status < 300 ? ' without JSON' : ''}`,
    )
    this.name = 'ApiError'
    this.status = status
    this.code = typeof fields.code === 'string' ? fields.code : `http_${status}`
    this.details = fields.details
    this.requestId = headers.get('x-request-id') ?? undefined
    this.retryAfterMs = secondsIn(headers.get('retry-after'))
    this.body = body
  }
}

/** A proxy may answer in any form, or without a body. */
const toRecord = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

const secondsIn = (text: string | null) =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : undefined
