import type { IncomingMessage, Server } from 'node:http'
import { createClock } from '../lib/adapters/node/clock.ts'
import { createIds } from '../lib/adapters/node/ids.ts'
import { createLog } from '../lib/adapters/node/log.ts'
import { tables } from '../lib/api/routes.ts'
import { readConfig } from '../lib/config.ts'
import { tooLarge } from '../lib/http/body.ts'
import { createDispatch } from '../lib/http/dispatch.ts'
import { createHost } from '../lib/http/host.ts'
import { pathOf } from './requests.ts'

const unused = async (): Promise<never> => {
  throw new Error('The limits of bodies are all that is asked of this table')
}
const limits = createDispatch(
  Object.values(tables).map((routes) => ({ routes, handler: unused })),
  unused,
)
const limitOf = (request: IncomingMessage): number =>
  limits(request.method ?? 'GET', pathOf(request)).bodyLimit

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

export const announcesTooMuch = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? 0) > limitOf(request)

/** The body of a request, null where it has none. One that turns out too large is read no further. */
export const bodyOf = async (request: IncomingMessage): Promise<Buffer | null | 'too large'> => {
  if (!hasBody(request)) return null
  const limit = limitOf(request)
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
 * The listener that refuses requests for their bodies, as `npm start` does: the answer is given at once, and what still
 * comes is dropped. hapi would wait for all of it first, and for ever where more was announced than is sent.
 */
export const openRefusing = (): Server =>
  createHost({
    dispatch: (method, path) => {
      const { bodyLimit } = limits(method, path)
      const handler = async () => {
        throw tooLarge(bodyLimit)
      }
      return { bodyLimit, handler }
    },
    ids: createIds({ clock: createClock() }),
    log: createLog({ level: readConfig().LOG_LEVEL }),
  })
