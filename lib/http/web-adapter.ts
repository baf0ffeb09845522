import * as z from 'zod'
import type { HttpHandler } from './event.ts'

/** What the Lambda Web Adapter says of a request and its invocation, in place of what a caller may have sent by those names. */
const HEADER = 'x-amzn-request-context'
const INVOCATION = 'x-amzn-lambda-context'

const Context = z.object({ http: z.object({ sourceIp: z.string() }) })
const Invocation = z.object({ request_id: z.string() })

/**
 * A handler behind the adapter, which makes every connection itself: the address of the caller is the one that the
 * function URL saw, and the id of the invocation is what Lambda's own log lines have. A request without that header comes from no adapter and keeps its address.
 */
export const behindWebAdapter =
  (handler: HttpHandler): HttpHandler =>
  (event, context) => {
    const said = event.headers[HEADER]
    if (said === undefined) return handler(event, context)
    const sourceIp = parsed(Context, said)?.http.sourceIp
    if (sourceIp === undefined) return handler(event, context)
    const { requestContext } = event
    const awsRequestId = parsed(Invocation, event.headers[INVOCATION])?.request_id
    return handler(
      { ...event, requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp } } },
      awsRequestId === undefined ? context : { ...context, awsRequestId },
    )
  }

const parsed = <Schema extends z.ZodType>(
  schema: Schema,
  said: string | undefined,
): z.output<Schema> | undefined => {
  try {
    return schema.parse(JSON.parse(said ?? ''))
  } catch {
    return undefined
  }
}
