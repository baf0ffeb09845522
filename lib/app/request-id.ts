import type { HttpEvent } from '../http/event.ts'

/** Request ids are our own: whoever calls a function, they look the same everywhere. */
export const withRequestId = (event: HttpEvent, requestId: string): HttpEvent => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
})
