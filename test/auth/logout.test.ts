import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { authHandlers } from '../../lib/auth/handlers.ts'
import { bearer, startCloud } from '../accounts/started.ts'
import { type Visitor, visit } from '../accounts/visitor.ts'

let cloud: Awaited<ReturnType<typeof startCloud>>
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

/** A device of the visitor, with its token. */
const pairDevice = async (owner: Visitor) => {
  const { requestId, code } = (
    await owner.send('POST /api/devices/pairing/request', { requesterId: 'phone' })
  ).body
  await owner.send('POST /api/devices/pairing/approve', { code })
  const status = () => owner.send(`GET /api/devices/pairing/status/${requestId}`)
  return { token: (await status()).body.token as string, status }
}
const pairedDevices = async (owner: Visitor) => (await owner.send('GET /api/devices/paired')).body.devices

const tasksWith = async (token: string) =>
  (await cloud.ann.send('GET /api/tasks', undefined, bearer(token))).status

describe('logging out', () => {
  it.each([['svc_wrong'], ['']])(
    'ends the session of the cookie beside the Bearer token %j',
    async (wrong) => {
      const bob = await cloud.newcomer(`beside-${wrong}x`)
      const token = bob.token()
      expect(await tasksWith(token)).toBe(200)
      expect((await bob.send('POST /api/auth/logout', undefined, bearer(wrong))).status).toBe(200)
      expect(bob.token()).toBe('')
      expect(await tasksWith(token)).toBe(401)
    },
  )

  it('ends both sessions where the cookie and the Bearer token have one each', async () => {
    const bob = await cloud.newcomer('both')
    const first = bob.token()
    await bob.logIn('both')
    const second = bob.token()
    await bob.send('POST /api/auth/logout', undefined, bearer(first))
    expect([await tasksWith(first), await tasksWith(second)]).toEqual([401, 401])
  })

  it('ends the sessions of all cookies, where a browser sends several of that name', async () => {
    const bob = await cloud.newcomer('several')
    const tokens = [bob.token()]
    for (let n = 0; n < 2; n++) {
      await bob.logIn('several')
      tokens.push(bob.token())
    }
    const cookie = tokens.map((token) => `svc_session=${token}`).join('; ')
    expect((await bob.send('POST /api/auth/logout', undefined, { cookie })).status).toBe(200)
    expect(await Promise.all(tokens.map(tasksWith))).toEqual([401, 401, 401])
  })

  it('reads as many sessions as a browser keeps cookies of a site, and no more', async () => {
    const asked = new Set<string>()
    const closeToken = async (token: string) => Boolean(asked.add(token))
    const { logout } = authHandlers({
      sessions: { closeToken } as never,
      ownSessions: undefined as never,
      accessKey: undefined as never,
      phoneLinks: undefined as never,
    })
    await logout({ params: undefined, query: undefined, headers: undefined, body: undefined }, {
      header: () => 'Bearer first',
      cookies: () => Array.from({ length: 1_000 }, (_, n) => `token ${n}`),
      origin: () => ({ isSecure: true }),
    } as never)
    expect([...asked].slice(0, 2)).toEqual(['first', 'token 0'])
    expect(asked.size).toBe(51)
  })

  it.each([
    ['a Bearer token', bearer],
    ['a cookie', (token: string) => ({ cookie: `svc_session=${token}` })],
  ])('with %s ends the pairing of a device', async (_how, as) => {
    const bob = await cloud.newcomer(`device-${_how.length}`)
    const { token, status } = await pairDevice(bob)
    expect(await pairedDevices(bob)).toHaveLength(1)
    using device = visit(cloud.baseUrl)
    expect((await device.send('POST /api/auth/logout', undefined, as(token))).status).toBe(200)
    expect([await pairedDevices(bob), (await status()).status, await tasksWith(token)]).toEqual([
      [],
      404,
      401,
    ])
  })

  it('leaves the devices of a person alone', async () => {
    const bob = await cloud.newcomer('owner')
    const { token } = await pairDevice(bob)
    await bob.send('POST /api/auth/logout')
    expect(await tasksWith(token)).toBe(200)
    await bob.logIn('owner')
    expect(await pairedDevices(bob)).toHaveLength(1)
  })

  it('is not for pages of other sites, whatever Bearer token they make up', async () => {
    const bob = await cloud.newcomer('lured')
    const headers = { origin: 'https://evil.example', ...bearer('made-up') }
    expect((await bob.send('POST /api/auth/logout', undefined, headers)).status).toBe(403)
    expect(await tasksWith(bob.token())).toBe(200)
  })
})
