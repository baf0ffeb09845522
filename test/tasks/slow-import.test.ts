import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createGroups } from '../../lib/api/table.ts'
import { createHost } from '../../lib/http/host.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { type StartedDomains, startDomains, until } from '../fakes/service.ts'
import { rawSender } from '../journeys/raw.ts'

const FILE = '{"version":"1.0","tasks":[]}'

describe('an import whose file drips in', () => {
  let domains: StartedDomains
  let host: Awaited<ReturnType<typeof onLoopback>>
  beforeAll(async () => {
    domains = await startDomains({ background: false })
    const { clock, log, ids } = domains
    const http = { guard: openGuard, holds: async () => true, proxies, record: () => undefined, clock, log }
    const groups = createGroups(http, { ...domains, health: {} as never, describe: async () => ({}) })
    const dispatch = createDispatch(groups, lambda(http, {}, {}))
    host = await onLoopback(createHost({ dispatch, ids, log }))
  })
  afterAll(() => host.stop())

  const importWhole = async () => {
    using raw = rawSender(host.url)
    const { status, json } = await raw.send({ method: 'POST', path: '/api/tasks/import', body: FILE })
    return [status, (json as { code?: string }).code]
  }

  it('keeps others waiting for a minute, and is then refused', async () => {
    const slow = connect(host.port, '127.0.0.1')
    const answered = text(slow)
    const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${FILE.length}`
    slow.write(`POST /api/tasks/import HTTP/1.1\r\n${head}\r\n\r\n${FILE.slice(0, 9)}`)
    await until(async () => (await importWhole())[1] === 'import_under_way')
    domains.clock.advance(59_000)
    slow.write(FILE.slice(9, 18))
    expect(await importWhole()).toEqual([429, 'import_under_way'])
    domains.clock.advance(1_000)

    await until(async () => (await importWhole())[0] === 200)
    // What still comes is read and dropped, then the connection closes.
    slow.write(FILE.slice(18))
    expect(await answered).toMatch(/^HTTP\/1.1 400 (.|\r\n)*"code":"request_timeout"/)
  })
})
