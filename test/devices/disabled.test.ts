import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bearer, startCloud } from '../accounts/started.ts'
import { visit } from '../accounts/visitor.ts'

describe('a device that was approved and has not fetched its token', () => {
  let cloud: Awaited<ReturnType<typeof startCloud>>
  beforeAll(async () => {
    cloud = await startCloud()
  })
  afterAll(() => cloud.stop())

  const approved = async (name: string) => {
    const bob = await cloud.newcomer(name)
    const device = visit(cloud.baseUrl)
    const asked = await device.send('POST /api/devices/pairing/request', { requesterId: 'phone' })
    const { requestId, code } = asked.body
    const { request } = (await bob.send('POST /api/devices/pairing/approve', { code })).body
    const status = () => device.send(`GET /api/devices/pairing/status/${requestId}`)
    return { bob, device, pairingId: request.id, status }
  }
  const setDisabled = (id: string, disabled: boolean) =>
    cloud.ann.send(`PATCH /api/users/${id}`, { disabled })

  it('is not paired any more once its user was disabled, also when that one is enabled again', async () => {
    const { bob, device, pairingId, status } = await approved('disabled')
    await setDisabled(bob.id, true)
    await setDisabled(bob.id, false)
    const { status: answered, body } = await status()
    expect([answered, body.token]).toEqual([404, undefined])
    expect((await device.send('GET /api/tasks', undefined, bearer(`${body.token}`))).status).toBe(401)
    await bob.logIn('disabled')
    expect((await bob.send('GET /api/devices/paired')).body.devices).toEqual([])
    const { records } = (await cloud.ann.send('GET /api/audit?action=device.end')).body
    const { userId } = (await cloud.ann.send('GET /api/audit?action=user.change&limit=1')).body.records[0]
    expect(records).toMatchObject([
      { userId, details: { id: pairingId, requesterId: 'phone', approvedBy: bob.id } },
    ])
  })

  it('is paired still when only the role of its user was changed', async () => {
    const { bob, device, status } = await approved('changed')
    await cloud.ann.send(`PATCH /api/users/${bob.id}`, { role: 'admin' })
    const { token } = (await status()).body
    expect((await device.send('GET /api/tasks', undefined, bearer(token))).status).toBe(200)
  })
})
