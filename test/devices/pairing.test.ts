import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { pairings } from '../../lib/devices/rows.ts'
import { ANN, BOB } from '../fakes/service.ts'
import {
  ann,
  bob,
  composeDevices,
  newAddress,
  type Opened,
  outcomeCode,
  requester,
  storages,
} from './opened.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ADMIN = { userId: 'user_eve', role: 'admin' } as const
const OWN = { limit: 50 }

describe.each(storages)('pairing on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const start = (more: Parameters<typeof composeDevices>[1] = {}) => {
    const joined = composeDevices(opened, more)
    return { ...joined, ...joined.devices.pairing, clock: opened.clock }
  }

  /** A device that Ann approved and that has its token. */
  const paired = async (meta?: Record<string, unknown>) => {
    const service = start()
    const { requestId, code } = await service.request(requester(meta ? { meta } : {}))
    const { id } = await service.approve(ann(), code)
    const { token = '' } = await service.status(requestId)
    return { ...service, requestId, code, id, token }
  }

  it('begins with a code that is shown in groups and lasts ten minutes', async () => {
    const { request, status, clock } = start()
    const { requestId, code, formatted, expiresAt } = await request(requester())
    expect(requestId).toMatch(/^svc_pairing_[\w-]{32}$/)
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{3}(-[0-9A-HJKMNP-TV-Z]{3}){2}$/)
    expect(formatted).toBe(code.replaceAll('-', ' '))
    expect(Date.parse(expiresAt) - clock.now()).toBe(10 * MINUTE)
    expect(await status(requestId)).toEqual({ status: 'pending' })
  })

  it('gives the device a token that is the approver, as often as it asks', async () => {
    const { status, sessions, requestId, token } = await paired()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await sessions.findPrincipal(token)).toMatchObject({ userId: ANN.userId })
    expect(await status(requestId)).toEqual({
      status: 'approved',
      token,
      approvedAt: expect.stringMatching(/Z$/),
    })
  })

  it('names who approved, and says nothing of what the device must keep to itself', async () => {
    const { request, approve } = start()
    const { requestId, code } = await request(requester({ meta: { os: 'plan9' } }))
    const approved = await approve(ann(), code)
    expect(approved).toMatchObject({
      status: 'approved',
      requesterId: 'laptop',
      meta: { os: 'plan9' },
      approvedBy: ANN.userId,
    })
    expect(JSON.stringify(approved)).not.toContain(requestId)
    expect(JSON.stringify(approved)).not.toContain(code)
  })

  it('takes a code as people type it', async () => {
    const { request, approve } = start()
    const typed = (code: string) =>
      code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    for (let n = 0; n < 5; n++) {
      const { code } = await request(requester())
      expect(await approve(ann(), typed(code))).toMatchObject({ status: 'approved' })
    }
  })

  it('knows no code that is made up, used, rejected or expired', async () => {
    const { request, approve, reject, clock } = start()
    const [used, rejected, expired] = await Promise.all([
      request(requester()),
      request(requester()),
      request(requester()),
    ])
    await approve(ann(), used.code)
    await reject(ann(), rejected.code, 'not mine')
    for (const code of ['ABC-DEF-GHJ', 'U', used.code, rejected.code]) {
      expect(await outcomeCode(approve(ann(), code))).toBe('pairing_code_not_found')
      expect(await outcomeCode(reject(ann(), code, undefined))).toBe('pairing_code_not_found')
    }
    clock.advance(10 * MINUTE - 1)
    const { code } = await request(requester())
    clock.advance(1)
    expect(await outcomeCode(approve(ann(), expired.code))).toBe('pairing_code_not_found')
    expect(await approve(ann(), code)).toMatchObject({ status: 'approved' })
  })

  it('tells a rejected device so, and why', async () => {
    const { request, reject, status } = start()
    const { requestId, code } = await request(requester())
    await reject(ann(), code, 'unknown machine')
    expect(await status(requestId)).toEqual({ status: 'rejected', reason: 'unknown machine' })
  })

  it('reads expired once it was not approved in time, and is unknown a day later', async () => {
    const { request, status, clock } = start()
    const { requestId } = await request(requester())
    clock.advance(10 * MINUTE)
    expect(await status(requestId)).toEqual({ status: 'expired' })
    clock.advance(DAY)
    expect(await outcomeCode(status(requestId))).toBe('pairing_request_not_found')
    expect(await outcomeCode(status('svc_pairing_made-up'))).toBe('pairing_request_not_found')
  })

  it('shows the token until the request expires, and not after', async () => {
    const { status, sessions, clock, requestId, token } = await paired()
    clock.advance(10 * MINUTE - 1)
    expect(await status(requestId)).toMatchObject({ token })
    clock.advance(1)
    expect(await status(requestId)).toEqual({ status: 'approved', approvedAt: expect.any(String) })
    expect(await sessions.findPrincipal(token)).toMatchObject({ userId: ANN.userId })
  })

  it('comes to nothing when the device does not fetch its token in time', async () => {
    const { request, approve, status, devices, clock } = start()
    const { requestId, code } = await request(requester())
    const { id } = await approve(ann(), code)
    clock.advance(10 * MINUTE)
    expect(await outcomeCode(status(requestId))).toBe('pairing_request_not_found')
    expect((await devices.paired(ANN, OWN)).devices.map((one) => one.id)).not.toContain(id)
  })

  it('ends with the session of the device, thirty days later', async () => {
    const { sessions, clock, token, devices, id } = await paired()
    const listed = (await devices.paired(ANN, OWN)).devices.find((one) => one.id === id)
    expect(Date.parse(listed?.expiresAt ?? '') - clock.now()).toBe(30 * DAY)
    clock.advance(30 * DAY - 1)
    expect(await sessions.findPrincipal(token)).toBeDefined()
    clock.advance(1)
    expect(await sessions.findPrincipal(token)).toBeUndefined()
  })

  it('lists a user the own devices, and an admin all of them', async () => {
    const { devices, clock, id, sessions, token } = await paired({ os: 'plan9' })
    await sessions.findPrincipal(token)
    const { request, approve } = start()
    const { id: bobs } = await approve(bob(), (await request(requester())).code)
    const mine = await devices.paired(ANN, OWN)
    expect(mine.devices.find((one) => one.id === id)).toEqual({
      id,
      requesterId: 'laptop',
      meta: { os: 'plan9' },
      approvedBy: ANN.userId,
      pairedAt: new Date(clock.now()).toISOString(),
      lastSeenAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 30 * DAY).toISOString(),
    })
    expect(mine.devices.map((one) => one.id)).not.toContain(bobs)
    const all = (await devices.paired(ADMIN, { limit: 200 })).devices.map((one) => one.id)
    expect(all).toEqual(expect.arrayContaining([id, bobs]))
  })

  it('pages the list by cursor', async () => {
    const { devices, request, approve } = start()
    const owner = { userId: `user_${entropy(4).toString('hex')}`, role: 'user' } as const
    for (let n = 0; n < 3; n++)
      await approve({ principal: owner, address: newAddress() }, (await request(requester())).code)
    const first = await devices.paired(owner, { limit: 2 })
    expect(first).toMatchObject({ total: 3, count: 2, limit: 2 })
    const rest = await devices.paired(owner, { limit: 2, cursor: first.nextCursor })
    expect(rest.nextCursor).toBeUndefined()
    expect(new Set([...first.devices, ...rest.devices].map((one) => one.id)).size).toBe(3)
    expect(await outcomeCode(devices.paired(BOB, { limit: 2, cursor: first.nextCursor }))).toBe(
      'validation_failed',
    )
  })

  it('ends a token at once when its device is revoked, by its user or by an admin', async () => {
    for (const who of [ANN, ADMIN]) {
      const { devices, sessions, status, requestId, id, token } = await paired()
      await devices.revoke(who, id)
      expect(await sessions.findPrincipal(token)).toBeUndefined()
      expect(await outcomeCode(status(requestId))).toBe('pairing_request_not_found')
      expect(await outcomeCode(devices.revoke(who, id))).toBe('device_not_found')
    }
  })

  it('refuses to revoke the device of another user, or what is not a device', async () => {
    const { devices, sessions, request, id, token } = await paired()
    await request(requester())
    expect(await outcomeCode(devices.revoke(BOB, id))).toBe('device_not_found')
    expect(await sessions.findPrincipal(token)).toBeDefined()
    const pending = (await devices.pending())[0]
    expect(await outcomeCode(devices.revoke(ADMIN, pending?.id ?? ''))).toBe('device_not_found')
  })

  it('goes by the device, even where its session is still there', async () => {
    const { sessions, id, token } = await paired()
    await opened.store.commit({ remove: pairings, key: id })
    expect(await sessions.findPrincipal(token)).toBeUndefined()
  })

  it('notes when a device was seen, to the hour', async () => {
    const { devices, sessions, clock, id, token } = await paired()
    const seen = async () => (await devices.paired(ANN, OWN)).devices.find((one) => one.id === id)?.lastSeenAt
    expect(await seen()).toBeUndefined()
    await sessions.findPrincipal(token)
    const first = await seen()
    clock.advance(59 * MINUTE)
    await sessions.findPrincipal(token)
    expect(await seen()).toBe(first)
    clock.advance(MINUTE)
    await sessions.findPrincipal(token)
    expect(await seen()).toBe(new Date(clock.now()).toISOString())
    expect((await opened.store.get(pairings, id))?.sealedToken).toBeUndefined()
  })

  it('lists the open requests and counts the expired ones that it removes', async () => {
    const { devices, request, approve, reject, clock } = start()
    await devices.cleanup(ADMIN)
    const made = await Promise.all(Array.from({ length: 4 }, () => request(requester())))
    await approve(ann(), made[0]?.code ?? '')
    await reject(ann(), made[1]?.code ?? '', undefined)
    clock.advance(10 * MINUTE - 1)
    await request({ ...requester(), requesterId: 'later' })
    const open = await devices.pending()
    expect(open.map(({ requesterId }) => requesterId).sort()).toEqual(['laptop', 'laptop', 'later'].sort())
    expect(open[0]).toMatchObject({ status: 'pending', address: expect.stringContaining('192.0.2.') })
    expect(await devices.cleanup(ADMIN)).toBe(0)
    clock.advance(1)
    expect((await devices.pending()).map(({ requesterId }) => requesterId)).toEqual(['later'])
    expect(await devices.cleanup(ADMIN)).toBe(3)
    expect(await devices.cleanup(ADMIN)).toBe(0)
    expect(await devices.pending()).toHaveLength(1)
  })

  it('lets an address have twenty open requests, and another when one is decided or expired', async () => {
    const { request, approve, reject, clock } = start()
    const address = newAddress()
    const ask = () => request(requester({ address }))
    const made = []
    for (let n = 0; n < 20; n++) made.push(await ask())
    clock.advance(MINUTE)
    await expect(ask()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 9 * MINUTE })
    await request(requester())
    await approve(ann(), made[3]?.code ?? '')
    await reject(ann(), made[4]?.code ?? '', undefined)
    await ask()
    await ask()
    expect(await outcomeCode(ask())).toBe('too_many_pairing_requests')
    clock.advance(9 * MINUTE)
    await ask()
  })

  it('counts an IPv6 network as one address, and gives its places back', async () => {
    const { request, approve } = start()
    const ask = (n: number) => request(requester({ address: `2001:db8:7:7::${n}` }))
    const made = []
    for (let n = 0; n < 20; n++) made.push(await ask(n))
    expect(await outcomeCode(ask(20))).toBe('too_many_pairing_requests')
    await request(requester({ address: '2001:db8:7:8::1' }))
    await approve(ann(), made[3]?.code ?? '')
    await ask(20)
  })

  it('makes another code when one is taken', async () => {
    const codes = [7, 7, 9]
    const { request, approve } = start({
      entropy: (bytes) => (bytes === 9 ? Buffer.alloc(9, codes.shift() ?? 0) : entropy(bytes)),
    })
    const first = await request(requester())
    const second = await request(requester())
    expect([first.code, second.code]).toEqual(['777-777-777', '999-999-999'])
    expect(await approve(ann(), first.code)).toMatchObject({ status: 'approved' })
  })
})
