import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { toString as draw } from 'qrcode'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { deviceRoutes } from '../../lib/devices/contract.ts'
import { type Caller, startApi } from '../fakes/caller.ts'
import { ANN, BOB, type StartedDomains } from '../fakes/service.ts'

const HOST = { host: 'tasks.example:8443' }

describe('the device endpoints', () => {
  let domains: StartedDomains
  let call: Caller
  beforeAll(async () => {
    const api = await startApi()
    domains = api.service
    call = api.call
  })
  afterAll(() => domains.store.close())

  const post = (path: string, body: unknown, as = ANN) => call(`POST /api/devices/${path}`, { body, as })
  const requested = async () => (await post('pairing/request', { requesterId: 'laptop' })).body
  const approved = async () => {
    const { requestId, code } = await requested()
    const { request } = (await post('pairing/approve', { code })).body
    return { requestId, id: request.id as string }
  }

  it('may be called by whom the interface says', () => {
    const access = Object.values(deviceRoutes).map((route) => [`${route.method} ${route.path}`, route.access])
    expect(Object.fromEntries(access)).toEqual({
      'GET /api/devices/identity': 'public',
      'POST /api/devices/attest': 'session',
      'POST /api/devices/verify': 'public',
      'POST /api/devices/pairing/request': 'public',
      'POST /api/devices/pairing/approve': 'session',
      'POST /api/devices/pairing/reject': 'session',
      'GET /api/devices/pairing/status/{requestId}': 'public',
      'GET /api/devices/pairing/pending': 'admin',
      'GET /api/devices/pairing/qr': 'public',
      'POST /api/devices/pairing/cleanup': 'session',
      'GET /api/devices/paired': 'session',
      'DELETE /api/devices/paired/{id}': 'session',
    })
  })

  it('show who the service is, and what it attests to', async () => {
    const { status, body } = await call('GET /api/devices/identity')
    expect([status, Object.keys(body)]).toEqual([200, ['deviceId', 'publicKey', 'fingerprint']])
    const made = await post('attest', { data: { host: 'build-7' } })
    expect(made).toMatchObject({
      status: 200,
      body: {
        attestation: {
          deviceId: body.deviceId,
          publicKey: body.publicKey,
          attestation: {
            timestamp: expect.any(String),
            nonce: expect.any(String),
            signature: expect.any(String),
            data: { host: 'build-7' },
          },
        },
      },
    })
    const verdict = await post('verify', { attestation: made.body.attestation, maxAgeMs: 1_000 })
    expect(verdict).toMatchObject({ status: 200, body: { valid: true, deviceId: body.deviceId, ageMs: 0 } })
  })

  it.each([0, -1, 1.5, '1000', null, undefined, 2 ** 60])('answer 400 to maxAgeMs %s', async (maxAgeMs) => {
    const { status, body } = await post('verify', { attestation: {}, maxAgeMs })
    expect([status, body.details?.[0]?.path]).toEqual([400, 'maxAgeMs'])
  })

  it.each([undefined, null, 'text', 7, []])('answer 400 to the attestation %j', async (attestation) => {
    expect(await post('verify', { attestation, maxAgeMs: 1 })).toMatchObject({ status: 400 })
  })

  it('answer 200 or 400 to every attestation, and find none valid without a signature', async () => {
    const { attestation } = (await post('attest', { data: { a: 1 } })).body
    const changed = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant({ ...attestation, deviceId: 'dev_0' }),
    )
    await fc.assert(
      fc.asyncProperty(changed, fc.jsonValue({ maxDepth: 1 }), async (sent, maxAgeMs) => {
        const { status, body } = await post('verify', { attestation: sent, maxAgeMs })
        expect([200, 400]).toContain(status)
        expect(body.valid).not.toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['no data', {}],
    ['a list', { data: [] }],
    ['more than 16 kB', { data: { text: 'x'.repeat(16_384) } }],
    ['a number without end', '{"data":{"n":1e400}}'],
    ['half a character as a name', '{"data":{"\\ud800":1}}'],
  ])('attest to no data that is %s', async (_name, body) => {
    expect(await post('attest', body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('attest to exactly 16 kB', async () => {
    const text = 'x'.repeat(16_384 - '{"text":""}'.length)
    expect((await post('attest', { data: { text } })).status).toBe(200)
  })

  it('take a device from its request to its end', async () => {
    const { requestId, code, formatted, expiresAt } = await requested()
    expect(formatted).toBe(code.replaceAll('-', ' '))
    expect(new Date(expiresAt).toISOString()).toBe(expiresAt)
    const path = `GET /api/devices/pairing/status/${requestId}`
    expect((await call(path)).body).toEqual({ status: 'pending' })
    const answer = await post('pairing/approve', { code, approvedBy: 'user_root' })
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, request: { approvedBy: ANN.userId } },
    })
    expect((await call(path)).body).toEqual({
      status: 'approved',
      token: expect.any(String),
      approvedAt: expect.any(String),
    })
    const { id } = answer.body.request
    const list = await call('GET /api/devices/paired')
    expect(list.body).toMatchObject({ total: 1, count: 1, devices: [{ id, requesterId: 'laptop' }] })
    expect((await call(`DELETE /api/devices/paired/${id}`, { as: BOB })).status).toBe(404)
    const revoked = await call(`DELETE /api/devices/paired/${id}`)
    expect(revoked).toMatchObject({ status: 200, body: { message: 'Device revoked' } })
    expect((await call(path)).status).toBe(404)
  })

  it('let an admin see the open requests, and revoke the device of any user', async () => {
    const { id } = await approved()
    const { code } = await requested()
    const { body } = await call('GET /api/devices/pairing/pending', { as: LOCAL_ADMIN })
    expect(body.count).toBe(body.requests.length)
    expect(body.requests[0]).toMatchObject({ requesterId: 'laptop', status: 'pending', address: '127.0.0.1' })
    expect(await post('pairing/reject', { code, reason: 'no' })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect((await call(`DELETE /api/devices/paired/${id}`, { as: LOCAL_ADMIN })).status).toBe(200)
  })

  it('answer 404 to an unknown code, and 429 with Retry-After after ten of them', async () => {
    const guess = () => post('pairing/approve', { code: '000-000-000' }, BOB)
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(404)
    expect(await guess()).toMatchObject({ status: 429, headers: { 'retry-after': '600' } })
    domains.clock.advance(600_000)
  })

  it('answer 429 with Retry-After to the twenty-first open request of an address, by request or by QR code', async () => {
    domains.clock.advance(600_000)
    for (let n = 0; n < 10; n++) {
      expect((await requested()).code).toBeDefined()
      expect((await call('GET /api/devices/pairing/qr', { headers: HOST })).status).toBe(200)
    }
    const refused = { status: 429, headers: { 'retry-after': '600' } }
    expect(await post('pairing/request', { requesterId: 'laptop' })).toMatchObject(refused)
    expect(await call('GET /api/devices/pairing/qr', { headers: HOST })).toMatchObject(refused)
    domains.clock.advance(600_000)
    const { body } = await post('pairing/cleanup', {})
    expect(body).toEqual({ success: true, deleted: expect.any(Number) })
    expect(body.deleted).toBeGreaterThanOrEqual(20)
  })

  it('make no request for who asks by HEAD what a QR code would look like', async () => {
    const pending = async () =>
      (await call('GET /api/devices/pairing/pending', { as: LOCAL_ADMIN })).body.count
    const before = await pending()
    const answer = await call('HEAD /api/devices/pairing/qr', { headers: HOST })
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET' } })
    expect(await pending()).toBe(before)
  })

  it('draw a QR code of a URL that names code and host, with no text in it', async () => {
    const { status, body } = await call('GET /api/devices/pairing/qr', { headers: HOST })
    expect(status).toBe(200)
    const url = new URL(body.pairingUrl)
    expect(`${url.protocol}//${url.host}`).toBe('svc://pair')
    expect(url.searchParams.get('host')).toBe(HOST.host)
    expect(body.qrSvg.replaceAll(/<svg [^<>]*>|<path [^<>]*\/>|<\/svg>/g, '').trim()).toBe('')
    expect(body.qrSvg).toBe(await draw(body.pairingUrl, { type: 'svg', errorCorrectionLevel: 'M' }))
    const code = url.searchParams.get('code')
    expect((await post('pairing/approve', { code })).body.request.requesterId).toBe('qr')
    expect((await call(`GET /api/devices/pairing/status/${body.requestId}`)).body.status).toBe('approved')
  })

  it.each(['', 'x'.repeat(300), '<script>', 'a b', 'user@', 'a:99999'])(
    'draw nothing for the host "%s"',
    async (host) => {
      const answer = await call('GET /api/devices/pairing/qr', { headers: { host } })
      expect(answer).toMatchObject({ status: 400, body: { code: 'host_unknown' } })
    },
  )

  it.each([
    ['no requesterId', {}],
    ['an empty requesterId', { requesterId: '' }],
    ['a long requesterId', { requesterId: 'x'.repeat(201) }],
    ['a requesterId in two lines', { requesterId: 'laptop\nof the admin' }],
    ['a requesterId that turns text around', { requesterId: 'laptop\u202e' }],
    ['a requesterId that cannot be seen', { requesterId: '\u200b' }],
    ['meta of two lines', { requesterId: 'a', meta: { host: 'x\ny' } }],
    ['meta with NUL deep in it', { requesterId: 'a', meta: { of: [{ host: 'x\0' }] } }],
    ['meta with a name that turns text around', { requesterId: 'a', meta: { 'host\u2067': 'x' } }],
    ['meta that is a list', { requesterId: 'a', meta: [] }],
    ['meta of more than 4 kB', { requesterId: 'a', meta: { text: 'x'.repeat(4_096) } }],
  ])('take no request with %s', async (_name, body) => {
    expect(await post('pairing/request', body)).toMatchObject({ status: 400 })
  })
})
