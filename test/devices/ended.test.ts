import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import { type PairingRow, pairings } from '../../lib/devices/rows.ts'
import { ANN } from '../fakes/service.ts'
import { ann, bob, composeDevices, type Opened, outcomeCode, requester, storages } from './opened.ts'

const ROOT = { userId: 'user_root' }

describe.each(storages)('a device whose session is ended on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  const paired = async () => {
    const joined = composeDevices(opened)
    const { request, approve, status } = joined.devices.pairing
    const { requestId, code } = await request(requester())
    const { id } = await approve(ann(), code)
    const { token = '' } = await status(requestId)
    const listed = async () => {
      const { devices } = await joined.devices.paired(ANN, { limit: 200 })
      return devices.some((device) => device.id === id)
    }
    return { ...joined, id, token, listed, status: () => outcomeCode(status(requestId)) }
  }
  const audited = async (action: string) => {
    const { records } = await composeDevices(opened).audit.list({ limit: 200, action })
    return records.map(({ userId, details }) => ({ userId, details }))
  }

  it('is paired no more: it is in no list, and its token is not handed out', async () => {
    const { sessions, id, token, listed, status } = await paired()
    expect(await listed()).toBe(true)
    expect(await sessions.closeToken(token)).toBe(true)
    expect([await listed(), await status()]).toEqual([false, 'pairing_request_not_found'])
    expect(await sessions.findPrincipal(token)).toBeUndefined()
    expect(await audited('device.end')).toContainEqual({
      userId: ANN.userId,
      details: { id, requesterId: 'laptop', approvedBy: ANN.userId },
    })
  })

  it('is gone as well when its user is signed out everywhere, and stays where only people are', async () => {
    const { sessions, id, token, listed } = await paired()
    await sessions.closeAll(ANN.userId, {})
    expect([await listed(), (await sessions.findPrincipal(token))?.userId]).toEqual([true, ANN.userId])
    await sessions.closeAll(ANN.userId, { devices: { by: ROOT } })
    expect([await listed(), await sessions.findPrincipal(token)]).toEqual([false, undefined])
    expect(await audited('device.end')).toContainEqual({
      userId: ROOT.userId,
      details: { id, requesterId: 'laptop', approvedBy: ANN.userId },
    })
  })

  it('is gone when it was approved only, and other sessions stay', async () => {
    const { devices, sessions, audit } = composeDevices(opened)
    const { request, approve, status } = devices.pairing
    const ask = async (as: ReturnType<typeof ann>) => {
      const { requestId, code } = await request(requester())
      const { id } = await approve(as, code)
      return { id, status: () => outcomeCode(status(requestId)) }
    }
    const [hers, his] = [await ask(ann()), await ask(bob())]
    await sessions.closeAll(ANN.userId, { devices: { by: ROOT } })
    expect([await hers.status(), await his.status()]).toEqual([
      'pairing_request_not_found',
      expect.stringContaining('approved'),
    ])
    const { records } = await audit.list({ limit: 200, action: 'device.end' })
    expect(records.filter(({ details }) => details?.id === hers.id)).toMatchObject([{ userId: ROOT.userId }])
  })

  it('is gone with all others, however many there are', async () => {
    const { sessions, devices, id } = await paired()
    const row = await opened.store.get(pairings, id)
    if (row === undefined) throw new Error('not paired')
    const copies = Array.from({ length: 205 }, (_, n) => ({ ...row, id: `${id}_${n}` }))
    await Promise.all(copies.map((copy) => opened.store.commit<PairingRow>({ insert: pairings, row: copy })))
    expect((await devices.paired(ANN, { limit: 1 })).total).toBeGreaterThan(205)
    await sessions.closeAll(ANN.userId, { devices: { by: ROOT } })
    expect((await devices.paired(ANN, { limit: 1 })).total).toBe(0)
  })

  it('stays when it is the one that signs all others out', async () => {
    const { sessions, token, listed } = await paired()
    const other = await paired()
    const except = (await sessions.findPrincipal(token))?.sessionId
    await sessions.closeAll(ANN.userId, { devices: { by: ANN }, ...(except ? { except } : {}) })
    expect([await listed(), await other.listed()]).toEqual([true, false])
    expect(await sessions.findPrincipal(token)).toMatchObject({ sessionId: except })
  })

  it('is revoked once, in the record too', async () => {
    const { devices, sessions, id, token } = await paired()
    const before = (await audited('device.end')).length
    await devices.revoke(ANN, id)
    expect(await sessions.closeToken(token)).toBe(false)
    expect((await audited('device.end')).length).toBe(before)
  })

  it('loses its pairing first, so that no death in between leaves a device that cannot act', async () => {
    const { sessions, id, token } = await paired()
    const { store } = opened
    const order: unknown[] = []
    const { commit } = store
    store.commit = (head, ...more) => {
      if ('remove' in head) order.push(head.remove)
      return commit(head, ...more)
    }
    await sessions.closeToken(token).finally(() => Object.assign(store, { commit }))
    expect(order).toEqual([pairings, sessionRows])
    expect(await store.get(pairings, id)).toBeUndefined()
  })
})
