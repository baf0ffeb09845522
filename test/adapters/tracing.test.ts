import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOtlpExporter } from '../../lib/adapters/node/otlp.ts'
import { createTracing, tracedFetch } from '../../lib/adapters/node/tracing.ts'
import { readConfig } from '../../lib/config/config.ts'
import { startCollector } from '../fakes/collector.ts'
import { createFakeLog } from '../fakes/log.ts'

const above = (flags: string) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`

const exportingTo = (endpoint: string) => {
  const [clock, log] = [createClock(), createFakeLog()]
  const exporter = createOtlpExporter({ endpoint, headers: {}, resource: {}, clock, log })
  return { ...createTracing({ clock, exporter }), log }
}

describe('a span', () => {
  it.each([
    [
      'a sampled parent',
      above('01'),
      1,
      /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/,
    ],
    ['a parent that is not sampled', above('00'), 0, new RegExp(`^${above('00')}$`)],
    ['a parent that is malformed', 'none', 1, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/],
    ['no parent', null, 1, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/],
  ])('of %s is exported or not, and what it passes on fits', async (_of, parent, exported, passedOn) => {
    const collector = await startCollector()
    const { begin, flush } = exportingTo(collector.url)
    const span = begin({ name: 'work', kind: 'internal', parent })
    span.end({ error: 'timeout' })
    await flush(60_000)
    await collector.close()
    expect(span.traceparent).toMatch(passedOn)
    expect(collector.spans).toHaveLength(exported)
    for (const { status, attributes } of collector.spans)
      expect([status, attributes]).toEqual([{ code: 2 }, { 'error.type': 'timeout' }])
  })

  it('is lost while the collector refuses, and each such time is logged once, with how many at its end', async () => {
    const collector = await startCollector([503, 503, 200, 503, 200])
    const { begin, flush, log } = exportingTo(collector.url)
    for (const spans of [2, 3, 1, 4, 1]) {
      for (let count = 0; count < spans; count += 1) begin({ name: 'work', kind: 'internal' }).end()
      await flush(60_000)
    }
    await collector.close()
    const endpoint = `${collector.url}/v1/traces`
    const [lost, again] = [
      'traces are lost: the collector does not take them',
      'the collector takes traces again; some spans were lost',
    ]
    expect(log.entries).toMatchObject([
      { level: 'warn', message: lost, fields: { endpoint, spans: 2, reason: 'it answered 503' } },
      { level: 'info', message: again, fields: { endpoint, spans: 5 } },
      { level: 'warn', message: lost, fields: { endpoint, spans: 4 } },
      { level: 'info', message: again, fields: { endpoint, spans: 4 } },
    ])
    expect(log.entries).toHaveLength(4)
  })

  it('is dropped where 2,048 wait already, and the first loss is logged', async () => {
    const collector = await startCollector()
    const { begin, flush, log } = exportingTo(collector.url)
    for (let count = 0; count < 2_060; count += 1) begin({ name: 'work', kind: 'internal' }).end()
    await flush(60_000)
    await collector.close()
    expect(collector.spans).toHaveLength(2_048)
    expect(log.entries.map(({ level, message, fields }) => [level, message, fields.spans])).toEqual([
      ['warn', 'traces are lost: the collector does not take them', 1],
      ['info', 'the collector takes traces again; some spans were lost', 12],
    ])
  })
})

describe('OTEL_EXPORTER_OTLP_HEADERS', () => {
  it('are read as OpenTelemetry writes them, and their values are secrets', () => {
    const config = readConfig({
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20planted-9f27c1e08d,x-team=a=b',
    })
    expect(config.OTEL_EXPORTER_OTLP_HEADERS).toEqual({
      authorization: 'Bearer planted-9f27c1e08d',
      'x-team': 'a=b',
    })
    expect(config.secrets).toEqual(
      expect.arrayContaining(['Bearer planted-9f27c1e08d', 'planted-9f27c1e08d']),
    )
  })

  it.each(['no pair', 'a b=c', '=c', 'x=\n'])('refuse %j by name', (value) => {
    expect(() => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: value })).toThrow(
      /^OTEL_EXPORTER_OTLP_HEADERS: must be/,
    )
  })
})

describe('a request to a provider', () => {
  it.each([
    ['no half of a character', '"a\\ud83d"', '"a\\ufffd"'],
    ['a whole character as it is', '"\u{1f525}\\ud83d\\udd25"', '"\u{1f525}\\ud83d\\udd25"'],
  ])('has %s', async (_what, body, sent) => {
    const server = createServer((request, response) => request.pipe(response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await tracedFetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
    expect(await answer.text()).toBe(sent)
    server.close()
  })
})
