import type { HttpEvent } from '../http/event.ts'

/** Request ids are our own: they look the same, whichever service calls a function. */
export const withRequestId = (event: HttpEvent, requestId: string): HttpEvent => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
})
