import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { moodyTask } from '../journeys/moody.ts'
import { openedService } from '../journeys/opened-service.ts'
import { describeOffline } from './suite.ts'

/** More than a function could answer in one piece. */
const MOST_OF_A_FUNCTION = 6_000_000
const HEADERS = [
  'cache-control',
  'connection',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
  'x-request-id',
]

const ask = async (
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<IncomingMessage> => {
  const sent = request(baseUrl + path, { method, headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}
const headerNames = ({ headers }: IncomingMessage) => Object.keys(headers).toSorted()

describeOffline('an answer of npm run offline', () => {
  const service = openedService()

  it('streams where the distribution streams, however much it is', async () => {
    const tasks = Array.from({ length: 200 }, (_, n) => ({
      ...moodyTask(`Task ${n}`),
      id: `answer_${n}`,
      status: 'completed',
      createdAt: '2026-01-01T00:00:00.000Z',
      prompt: 'x'.repeat(40_000),
    }))
    const { client } = connect(service().baseUrl)
    const { results } = await client.importTasks({ body: { version: '1.0', tasks } })
    expect(results).toMatchObject({ imported: 200 })

    const answer = await ask(service().baseUrl, '/api/tasks/export')
    expect(answer.statusCode).toBe(200)
    const names = ['content-disposition', 'transfer-encoding', 'x-export-copy']
    expect(headerNames(answer)).toEqual([...HEADERS, ...names].toSorted())
    answer.setEncoding('utf8')
    const [first] = (await once(answer, 'data')) as [string]
    answer.pause()
    // The beginning is here while the rest waits for us; others are served meanwhile.
    expect(first).toMatch(/^\{"version":"1\.0","exportedAt":"/)
    expect((await client.health()).status).toBe('healthy')
    const whole = first + (await text(answer))
    expect(whole.length).toBeGreaterThan(MOST_OF_A_FUNCTION)
    const exported = JSON.parse(whole) as { tasks: { id: string; prompt: string }[]; taskCount: number }
    const own = exported.tasks.filter(({ id }) => id.startsWith('answer_'))
    expect([exported.taskCount, own.length]).toEqual([exported.tasks.length, 200])
    expect(own.every(({ prompt }) => prompt.length === 40_000)).toBe(true)
  })

  it.each([
    ['of a function', '/api/openapi.json', 'GET', 200],
    ['of the streaming function', '/api/tasks/export', 'POST', 405],
    ['to what no function has', '/nowhere', 'GET', 404],
    ['to a path that ends in a slash', '/api/tasks/', 'GET', 404],
    ['to a path that cannot be decoded', '/api/tasks/%', 'GET', 404],
  ])(
    '%s has the headers of npm start, and none that lets other sites read it',
    async (_, path, method, status) => {
      const asking = { origin: 'http://evil.example', range: 'bytes=0-5', 'accept-encoding': 'identity' }
      const headers = { ...(method === 'GET' ? asking : {}), connection: 'keep-alive' }
      const answer = await ask(service().baseUrl, path, headers, method)
      expect(answer.statusCode).toBe(status)
      const own = [...HEADERS, 'content-length', ...({ 200: ['vary'], 405: ['allow'] }[status] ?? [])]
      expect(headerNames(answer)).toEqual(own.toSorted())
      expect(await text(answer)).toMatch(/^\{.*\}$/s)
    },
  )

  it('to HEAD of a GET that writes is that it has only that', async () => {
    for (const path of ['/api/devices/pairing/qr', '/api/auth/codehost/callback']) {
      const { statusCode, headers } = await ask(service().baseUrl, path, {}, 'HEAD')
      expect([statusCode, headers.allow]).toEqual([405, 'GET'])
    }
  })

  it('to a request of another site that would change something is a refusal', async () => {
    const answer = await ask(
      service().baseUrl,
      '/api/notifications/read-all',
      { origin: 'http://evil.example' },
      'POST',
    )
    expect(answer.statusCode).toBe(403)
    expect(JSON.parse(await text(answer))).toMatchObject({ code: 'foreign_origin' })
  })
})
