import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { openedService } from '../journeys/opened-service.ts'

const LARGE = 50_000_000

const service = openedService({ AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' })

const signUp = async (name: string) => {
  const answer = await fetch(`${service().baseUrl}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.org`, name, password: 'correct horse 1' }),
  })
  return /svc_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

/** Announces an import and sends the beginning of it at most. */
const beginImport = (headers: Readonly<Record<string, string>>) => {
  const sent = request(`${service().baseUrl}/api/tasks/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'keep-alive', ...headers },
    agent: false,
  })
  // The connection may be closed under what is still being sent.
  sent.on('error', () => undefined)
  sent.flushHeaders()
  return sent
}

let cookie: string
/** Of somebody who is no admin. */
let another: string
beforeAll(async () => {
  cookie = `svc_session=${await signUp('ann')}`
  another = `svc_session=${await signUp('bob')}`
})

describe('a session in a cookie', () => {
  const importing = (headers: Readonly<Record<string, string>>, body = '{"version":"1.0","tasks":[]}') =>
    fetch(`${service().baseUrl}/api/tasks/import`, { method: 'POST', headers, body })

  it('refuses a session from the body of a form, even where a body is read after its caller is known', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await importing({ cookie, 'content-type': type })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'content_type', error: expect.stringContaining('application/json') }),
      ])
    }
    expect((await importing({ cookie, 'content-type': 'application/json' })).status).toBe(200)
    const authorization = cookie.replace('svc_session=', 'Bearer ')
    expect((await importing({ authorization, 'content-type': 'text/plain' })).status).toBe(200)
  })

  it('is found behind stale ones', async () => {
    const me = async (...cookies: string[]) =>
      (await fetch(`${service().baseUrl}/api/settings`, { headers: { cookie: cookies.join('; ') } })).status
    const stale = 'svc_session=stale'
    expect(await me(stale)).toBe(401)
    expect(await me(stale, cookie)).toBe(200)
    expect(await me(stale, stale, stale, cookie)).toBe(200)
    expect(await me(stale, stale, stale, stale, cookie)).toBe(401)
  })
})

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

  it('of a user who is no admin is not waited for either', async () => {
    const sent = beginImport({ cookie: another, 'content-length': String(LARGE) })
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(403)
    sent.destroy()
  })

  it('is the only one of its kind at a time, and gives way when its sender leaves', async () => {
    const first = beginImport({ cookie, 'transfer-encoding': 'chunked' })
    first.write('{"version":"1.0","tasks":[')
    const importStatus = async (body: string) => {
      const sent = beginImport({ cookie, 'content-length': `${body.length}` })
      sent.end(body)
      const [answer] = await once(sent, 'response')
      answer.resume()
      return answer.statusCode
    }
    const whole = '{"version":"1.0","tasks":[]}'
    // Each poll is one of the thirty imports of a minute.
    while ((await importStatus(whole)) === 200) await sleep(100)
    expect(await importStatus(whole)).toBe(429)
    first.destroy()
    while ((await importStatus(whole)) === 429) await sleep(100)
    expect(await importStatus('{"version":"1.0","tasks":[]')).toBe(400)
    expect(await importStatus(whole)).toBe(200)
  })

  it('is read of a caller who may send it', async () => {
    const body = JSON.stringify({ version: '1.0', tasks: Array(40).fill('x'.repeat(100_000)) })
    const authorization = cookie.replace('svc_session=', 'Bearer ')
    const sent = beginImport({ authorization, 'content-length': `${body.length}` })
    sent.end(body)
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })
})
