import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openLocalApp } from '../../lib/app.ts'
import { readConfig } from '../../lib/config.ts'
import { type Loopback, onLoopback } from '../../offline/loopback.ts'

const LARGE = 50_000_000

let app: Awaited<ReturnType<typeof openLocalApp>>
let loopback: Loopback
beforeAll(async () => {
  app = await openLocalApp(
    readConfig({
      SERVICE_MODE: 'pico',
      AUTH_MODE: 'cloud',
      REGISTRATION_MODE: 'open',
      LOG_LEVEL: 'silent',
    }),
  )
  loopback = await onLoopback(app.server)
  await app.start()
})
afterAll(async () => {
  await loopback.stop()
  await app.close()
})

const signUp = async () => {
  const answer = await fetch(`${loopback.url}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.org', name: 'Ann', password: 'correct horse 1' }),
  })
  return /svc_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

/** Announces an import and sends the beginning of it at most. */
const beginImport = (headers: Readonly<Record<string, string>>) => {
  const sent = request(`${loopback.url}/api/tasks/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'keep-alive', ...headers },
    agent: false,
  })
  // The connection may be closed under what is still being sent.
  sent.on('error', () => undefined)
  sent.flushHeaders()
  return sent
}

describe('a large body', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['announced', { 'content-length': String(LARGE) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
    ['after a token that is nobody’s', { 'content-length': String(LARGE), authorization: 'Bearer x' }],
  ])('is not waited for without a session: %s', async (_how, headers) => {
    const sent = beginImport(headers)
    sent.write('{"tasks":[')
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(401)
    expect(answer.headers).toMatchObject({ connection: 'close', 'x-request-id': expect.any(String) })
    sent.destroy()
  })

  it('of a page of another site is not waited for either', async () => {
    const sent = beginImport({ 'content-length': String(LARGE), origin: 'https://evil.example' })
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(403)
    sent.destroy()
  })

  it('is read of somebody who may send it', async () => {
    const body = JSON.stringify({ version: '1.0', tasks: [], padding: 'x'.repeat(3_000_000) })
    const sent = beginImport({
      authorization: `Bearer ${await signUp()}`,
      'content-length': `${body.length}`,
    })
    sent.end(body)
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })
})
