import { isUtf8 } from 'node:buffer'
import type { Request } from '@hapi/hapi'

/** Of the types whose bodies serverless-offline hands over in base64. */
const NO_TEXT = 'application/octet-stream'

/**
 * Has serverless-offline hand a body that is no text to its function in base64, as `npm start` does. Made a text it would
 * hold U+FFFD for each letter that is none, and no function could refuse it, or tell whether it is as it was signed. The
 * function reads the type that was sent: the headers of its event are not these.
 */
export const keepBytes = (request: Request): void => {
  const { payload, headers } = request
  if (!Buffer.isBuffer(payload) || isUtf8(payload)) return
  Object.assign(request, { headers: { ...headers, 'content-type': NO_TEXT } })
}
