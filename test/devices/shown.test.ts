import { describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { startApi } from '../fakes/caller.ts'

const REQUEST = ['id', 'requesterId', 'status', 'address', 'createdAt', 'expiresAt']

describe('what is shown of a device', () => {
  it('is what people decide by, and nothing that its row holds beside that', async () => {
    await using api = await startApi()
    const { call } = api
    const post = async (path: string, body: object) =>
      (await call(`POST /api/devices/${path}`, { body })).body
    const { requestId, code } = await post('pairing/request', { requesterId: 'laptop' })
    const pending = (await call('GET /api/devices/pairing/pending', { as: LOCAL_ADMIN })).body.requests
    expect(pending.map(Object.keys)).toEqual([REQUEST])
    const { request } = await post('pairing/approve', { code })
    expect(Object.keys(request)).toEqual([...REQUEST, 'approvedAt', 'approvedBy'])
    const status = (await call(`GET /api/devices/pairing/status/${requestId}`)).body
    expect(Object.keys(status)).toEqual(['status', 'approvedAt', 'token'])
    const { devices } = (await call('GET /api/devices/paired')).body
    expect(devices.map(Object.keys)).toEqual([['id', 'requesterId', 'pairedAt', 'approvedBy', 'expiresAt']])
  })
})
