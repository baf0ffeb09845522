import { isUtf8 } from 'node:buffer'
import type { Request, Server } from '@hapi/hapi'
import { openStreaming } from '../functions/agentic/server.ts'
import { answerInOurForm, keepAnswer } from './answers.ts'
import { announcesTooMuch, openRefusing, requestBody } from './bodies.ts'
import { asSent, mendedUrl, requestPath } from './requests.ts'
import { type Resources, streamedIn } from './streamed.ts'

/** A type whose bodies serverless-offline passes in base64. */
const NO_TEXT = 'application/octet-stream'

/**
 * Makes serverless-offline pass a body that is not text in base64, as `npm start` does. As a text it would contain U+FFFD
 * for each invalid byte, and no function could refuse it or check its signature. The function gets the sent type: the
 * headers of its event are separate.
 */
const keepBytes = (request: Request): void => {
  const { payload, headers } = request
  if (!Buffer.isBuffer(payload) || isUtf8(payload)) return
  Object.assign(request, { headers: { ...headers, 'content-type': NO_TEXT } })
}

/** As lib/http/host.ts has them. */
const REQUEST_TIMEOUT_MS = 120_000
const KEEP_ALIVE_MS = 65_000

/**
 * Makes serverless-offline's server answer as `npm start` does: requests for streamed paths go unchanged to the streaming
 * listener, bodies have the limits of their routes, functions get the events of API Gateway, and a request without an
 * answer gets an error in the service's form.
 */
export const mount = (server: Server, resources: Resources): void => {
  const streaming = openStreaming()
  const refusing = openRefusing()
  const isStreamed = streamedIn(resources)
  adjust(server)
  server.ext('onRequest', async (request, h) => {
    const { req, res } = request.raw
    const pass = (listener: typeof streaming) => {
      listener.emit('request', req, res)
      return h.abandon
    }
    if (announcesTooMuch(req)) return pass(refusing)
    if (req.headers.expect !== undefined) res.writeContinue()
    if (isStreamed(requestPath(req))) return pass(streaming)
    const body = await requestBody(req)
    if (body === 'too large') return pass(refusing)
    // hapi does not read or check a body when the payload is set already.
    Object.assign(request, { payload: body })
    const mended = mendedUrl(req)
    if (mended !== undefined) request.setUrl(mended, false)
    return h.continue
  })
  server.ext('onPreHandler', (request, h) => {
    asSent(request)
    keepBytes(request)
    return h.continue
  })
  server.ext('onPostHandler', (request, h) => {
    keepAnswer(request)
    return h.continue
  })
  server.ext('onPreResponse', answerInOurForm)
}

/** The time limits of `npm start`, without hapi's additions that a gateway does not have. */
const adjust = (server: Server): void => {
  Object.assign(server.settings, { compression: false })
  Object.assign(server.settings.router ?? {}, { stripTrailingSlash: false })
  Object.assign(server.listener, { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_TIMEOUT_MS })
  for (const { settings } of server.table()) Object.assign(settings.response ?? {}, { ranges: false })
}
