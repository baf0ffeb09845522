import { request } from 'node:http'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createHost } from '../../lib/http/host.ts'
import { lambda } from '../../lib/http/lambda.ts'
import type { RecordRequest } from '../../lib/http/observe.ts'
import type { Handlers, Routes } from '../../lib/http/route.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { type Answer, answerTo } from './answer.ts'

export type Asked = {
  method?: string
  path?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

/** A table of routes behind the real host, router and guard, on a free loopback port. */
export const serve = async <R extends Routes>(routes: R, handlers: Handlers<R>) => {
  const log = createFakeLog()
  const records: Parameters<RecordRequest>[] = []
  const record: RecordRequest = (...given) => void records.push(given)
  const needs = { guard: openGuard, holds: async () => true, proxies, record, clock: createClock(), log }
  const groups = [{ routes, handler: lambda(needs, routes, handlers) }]
  const dispatch = createDispatch(groups, lambda(needs, {}, {}))
  const server = createHost({ dispatch, ids: createFakeIds(), log })
  const { port, url, stop } = await onLoopback(server)
  return {
    url,
    log,
    /** What was logged beside the line of each request. */
    faults: () => log.entries.filter(({ message }) => message !== 'request'),
    records,
    send: (asked: Asked) => sendTo(port, asked),
    close: stop,
  }
}

/** One request by node:http, which lets a test send the headers that `fetch` forbids. */
const sendTo = async (
  port: number,
  { method = 'GET', path = '/', headers = {}, body }: Asked,
): Promise<Answer> => {
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  sent.end(body)
  return answerTo(sent)
}
