import type { Server } from '@hapi/hapi'
import { openStreaming } from '../functions/agentic/server.ts'
import { answerInOurForm, keepAnswer } from './answers.ts'
import { announcesTooMuch, bodyOf, openRefusing } from './bodies.ts'
import { keepBytes } from './bytes.ts'
import { asSent, mendedUrl, pathOf } from './requests.ts'
import { type Resources, streamedIn } from './streamed.ts'

/** As lib/http/host.ts has them. */
const REQUEST_TIMEOUT_MS = 120_000
const KEEP_ALIVE_MS = 65_000

/**
 * Makes serverless-offline's server answer as `npm start` does: what the distribution streams goes to the streaming
 * listener as it came, bodies have the limits of their routes, functions get requests as API Gateway would give them, and
 * what no function answered is said in the service's own form.
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
    if (isStreamed(pathOf(req))) return pass(streaming)
    const body = await bodyOf(req)
    if (body === 'too large') return pass(refusing)
    // With a payload that is there already, hapi reads none, and minds no content type.
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

/** The time limits of `npm start`, and no refinements that a gateway does not have. */
const adjust = (server: Server): void => {
  Object.assign(server.settings, { compression: false })
  Object.assign(server.settings.router ?? {}, { stripTrailingSlash: false })
  Object.assign(server.listener, { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_TIMEOUT_MS })
  for (const { settings } of server.table()) Object.assign(settings.response ?? {}, { ranges: false })
}
