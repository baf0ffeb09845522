import { describe, expect, it } from '@jest/globals'
import { launchService, startService, temporaryFolder } from './service.ts'

const ACCESS_KEY = 'correct horse battery staple'

type Sent = { body?: unknown; token?: string; cookie?: string }

/** One request as a device, a browser or a script would send it. */
const createCaller =
  (baseUrl: string) =>
  async (request: string, sent: Sent = {}) => {
    const [method = 'GET', path = '/'] = request.split(' ')
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
        ...(sent.cookie === undefined ? {} : { cookie: sent.cookie }),
      },
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    })
    return {
      status: answer.status,
      cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '',
      // biome-ignore lint/suspicious/noExplicitAny: the journey reads the bodies of many routes.
      body: (await answer.json()) as any,
    }
  }

const signIn = async (call: ReturnType<typeof createCaller>) =>
  (await call('POST /api/auth/verify-access-key', { body: { key: ACCESS_KEY } })).cookie

describe('a new device', () => {
  it('is approved by a user, works with its token, and is out when revoked', async () => {
    using folder = temporaryFolder()
    await using service = await startService({ env: { DATA_DIR: folder.path, ACCESS_KEY } })
    const call = createCaller(service.baseUrl)
    expect((await call('GET /api/tasks')).status).toBe(401)

    const requested = await call('POST /api/devices/pairing/request', { body: { requesterId: 'laptop' } })
    const { requestId, formatted } = requested.body
    const status = () => call(`GET /api/devices/pairing/status/${requestId}`)
    expect((await status()).body).toEqual({ status: 'pending' })
    const approve = (cookie?: string) =>
      call('POST /api/devices/pairing/approve', {
        body: { code: formatted, approvedBy: 'me' },
        ...(cookie === undefined ? {} : { cookie }),
      })
    expect((await approve()).status).toBe(401)

    const cookie = await signIn(call)
    expect((await call('GET /api/devices/pairing/pending', { cookie })).body.count).toBe(1)
    expect(await approve(cookie)).toMatchObject({ status: 200, body: { request: { approvedBy: 'local' } } })
    const { token } = (await status()).body
    expect((await call('GET /api/tasks', { token })).status).toBe(200)

    const { devices } = (await call('GET /api/devices/paired', { cookie })).body
    expect(devices).toMatchObject([{ requesterId: 'laptop', lastSeenAt: expect.any(String) }])
    expect((await call(`DELETE /api/devices/paired/${devices[0].id}`, { cookie })).status).toBe(200)
    expect((await call('GET /api/tasks', { token })).status).toBe(401)
    expect((await call('GET /api/devices/paired', { cookie })).body.devices).toEqual([])

    const { exited } = service
    service.kill('SIGTERM')
    const { stdout, stderr } = await exited
    for (const secret of [requestId, formatted, token, ACCESS_KEY])
      expect(stdout + stderr).not.toContain(secret)
  })

  it('gets the token of a service that was killed after the approval, which is the same device as before', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, ACCESS_KEY }
    const before = launchService({ env })
    const first = createCaller(await before.ready())
    const identity = (await first('GET /api/devices/identity')).body
    const { attestation } = (
      await first('POST /api/devices/attest', { body: { data: { a: 1 } }, cookie: await signIn(first) })
    ).body
    const { body } = await first('POST /api/devices/pairing/request', { body: { requesterId: 'laptop' } })
    await first('POST /api/devices/pairing/approve', {
      body: { code: body.code },
      cookie: await signIn(first),
    })
    await before.kill9()

    await using after = await startService({ env })
    const call = createCaller(after.baseUrl)
    expect((await call('GET /api/devices/identity')).body).toEqual(identity)
    const verdict = await call('POST /api/devices/verify', { body: { attestation, maxAgeMs: 600_000 } })
    expect(verdict.body).toMatchObject({ valid: true, deviceId: identity.deviceId })
    const { token } = (await call(`GET /api/devices/pairing/status/${body.requestId}`)).body
    expect((await call('GET /api/tasks', { token })).status).toBe(200)
  })
})
