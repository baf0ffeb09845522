import type { IncomingMessage, Server } from 'node:http'
import { createClock } from '../lib/adapters/node/clock.ts'
import { createIds } from '../lib/adapters/node/ids.ts'
import { tables } from '../lib/api/routes.ts'
import { openContainerLog } from '../lib/app/cloud-container.ts'
import { DEFAULT_BODY_LIMIT, tooLarge } from '../lib/http/body.ts'
import { createHost } from '../lib/http/host.ts'
import type { Route } from '../lib/http/route.ts'
import { requestPath } from './requests.ts'

const limits = new Map(
  Object.values(tables)
    .flatMap((routes): Route[] => Object.values(routes))
    .map(({ method, path, bodyLimit }) => [`${method} ${path}`, bodyLimit]),
)
const routeBodyLimit = (method: string | undefined, path: string): number =>
  limits.get(`${method} ${path}`) ?? DEFAULT_BODY_LIMIT

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

export const announcesTooMuch = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? 0) > routeBodyLimit(request.method, requestPath(request))

/** The body of a request, null without one. A body that is too large is not read to its end. */
export const requestBody = async (request: IncomingMessage): Promise<Buffer | null | 'too large'> => {
  if (!hasBody(request)) return null
  const limit = routeBodyLimit(request.method, requestPath(request))
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > limit) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * The listener that refuses requests because of their bodies, as `npm start` does: it answers at once and drops the rest.
 * hapi would wait for the whole body, for ever if less is sent than announced.
 */
export const openRefusing = (): Server =>
  createHost({
    dispatch: () => async (event) => {
      const { method, path } = event.requestContext.http
      throw tooLarge(routeBodyLimit(method, path))
    },
    ids: createIds({ clock: createClock() }),
    log: openContainerLog(),
  })
