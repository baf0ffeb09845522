import { isUtf8 } from 'node:buffer'
import type { Request } from '@hapi/hapi'

/** A type whose bodies serverless-offline passes in base64. */
const NO_TEXT = 'application/octet-stream'

/**
 * Makes serverless-offline pass a body that is not text in base64, as `npm start` does. As a text it would contain U+FFFD
 * for each invalid byte, and no function could refuse it or check its signature. The function gets the sent type: the
 * headers of its event are separate.
 */
export const keepBytes = (request: Request): void => {
  const { payload, headers } = request
  if (!Buffer.isBuffer(payload) || isUtf8(payload)) return
  Object.assign(request, { headers: { ...headers, 'content-type': NO_TEXT } })
}
