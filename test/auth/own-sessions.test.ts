import { describe, expect, it } from '@jest/globals'
import { bearer, startCloud } from '../accounts/started.ts'
import { visit } from '../accounts/visitor.ts'
import { forAllTests } from '../fakes/lifetimes.ts'

const cloud = forAllTests(startCloud, ({ stop }) => stop())

type Listed = { id: string; current: boolean; userAgent?: string; deviceId?: string }
type Person = Awaited<ReturnType<ReturnType<typeof cloud>['newcomer']>>
const listSessions = async (who: Person): Promise<Listed[]> =>
  (await who.send('GET /api/auth/sessions')).body.sessions
const statusWithToken = async (token: string) =>
  (await visit(cloud().baseUrl).send('GET /api/tasks', undefined, bearer(token))).status

/** A person who is signed in three times: from a browser that says what it is, on a device, and here. */
const signedIn = async (name: string) => {
  const bob = await cloud().newcomer(name)
  const first = bob.token()
  const { requestId, code } = (await bob.send('POST /api/devices/pairing/request', { requesterId: 'phone' }))
    .body
  await bob.send('POST /api/devices/pairing/approve', { code })
  const device: string = (await bob.send(`GET /api/devices/pairing/status/${requestId}`)).body.token
  const given = { email: `${name}@example.com`, password: 'correct horse 1' }
  await bob.send('POST /api/auth/login', given, { 'user-agent': `Browser ${'x'.repeat(5_000)}` })
  return { bob, first, device }
}

describe('the list of sessions', () => {
  it('names each, newest first, and tells no token', async () => {
    const { bob, first, device } = await signedIn('list-bob')
    const answer = await bob.send('GET /api/auth/sessions')
    expect(answer.body).toMatchObject({ total: 3, count: 3, limit: 50 })
    const iso = expect.stringMatching(/^\d{4}-.*Z$/)
    const id = expect.stringMatching(/^session_[0-9a-f]{64}$/)
    expect(answer.body.sessions).toEqual([
      { id, createdAt: iso, lastSeenAt: iso, userAgent: expect.any(String), current: true },
      { id, createdAt: iso, lastSeenAt: iso, deviceId: expect.any(String), current: false },
      { id, createdAt: iso, lastSeenAt: iso, current: false },
    ])
    expect(answer.body.sessions[0].userAgent).toHaveLength(300)
    const text = JSON.stringify(answer.body)
    for (const token of [first, device, bob.token()]) expect(text).not.toContain(token)
    for (const each of answer.body.sessions as Listed[]) {
      expect(await statusWithToken(each.id)).toBe(401)
      expect(await statusWithToken(each.id.replace('session_', ''))).toBe(401)
    }
  })
})

describe('ending a session', () => {
  it('ends that one at once, and unpairs the device that held it', async () => {
    const { bob, first, device } = await signedIn('end-bob')
    const [, ofDevice, oldest] = await listSessions(bob)
    for (const [token, session] of [
      [device, ofDevice],
      [first, oldest],
    ] as const) {
      expect(await statusWithToken(token)).toBe(200)
      expect((await bob.send(`DELETE /api/auth/sessions/${session?.id}`)).status).toBe(200)
      expect(await statusWithToken(token)).toBe(401)
    }
    expect((await bob.send('GET /api/devices/paired')).body.devices).toEqual([])
    expect(await listSessions(bob)).toMatchObject([{ current: true }])
    expect((await bob.send(`DELETE /api/auth/sessions/${oldest?.id}`)).status).toBe(404)
  })

  it('of another user is 404, to an admin too', async () => {
    const { bob } = await signedIn('others-bob')
    const [mine] = await listSessions(bob)
    const answer = await cloud().ann.send(`DELETE /api/auth/sessions/${mine?.id}`)
    expect([answer.status, answer.body.code]).toEqual([404, 'session_not_found'])
    expect(await statusWithToken(bob.token())).toBe(200)
  })

  it('ends all others at once, and is on record', async () => {
    const { bob, first, device } = await signedIn('all-bob')
    expect((await bob.send('DELETE /api/auth/sessions')).status).toBe(200)
    expect([
      await statusWithToken(bob.token()),
      await statusWithToken(first),
      await statusWithToken(device),
    ]).toEqual([200, 401, 401])
    const [mine] = await listSessions(bob)
    await bob.send(`DELETE /api/auth/sessions/${mine?.id}`)
    expect(await statusWithToken(bob.token())).toBe(401)
    const { records } = (await cloud().ann.send(`GET /api/audit?userId=${bob.id}`)).body
    expect(records.slice(0, 3).map((one: { action: string }) => one.action)).toEqual([
      'session.end',
      'session.end-others',
      'device.end',
    ])
  })
})
