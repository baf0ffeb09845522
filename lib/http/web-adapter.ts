import * as z from 'zod'
import type { HttpHandler } from './event.ts'

/** What the Lambda Web Adapter says of a request, in place of what its caller may have sent under that name. */
const HEADER = 'x-amzn-request-context'

const Context = z.object({ http: z.object({ sourceIp: z.string() }) })

/**
 * A handler behind the adapter, which makes every connection itself: the address of the caller is the one that the
 * function URL saw. A request without that header comes from no adapter and keeps its address.
 */
export const behindWebAdapter =
  (handler: HttpHandler): HttpHandler =>
  (event, context) => {
    const said = event.headers[HEADER]
    if (said === undefined) return handler(event, context)
    const sourceIp = addressIn(said)
    if (sourceIp === undefined) return handler(event, context)
    const { requestContext } = event
    return handler(
      { ...event, requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp } } },
      context,
    )
  }

const addressIn = (said: string): string | undefined => {
  try {
    return Context.parse(JSON.parse(said)).http.sourceIp
  } catch {
    return undefined
  }
}
