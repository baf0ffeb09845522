import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import { pairings } from '../../lib/devices/rows.ts'
import type { BeginSession } from '../../lib/devices/tokens.ts'
import { createTokens } from '../../lib/devices/tokens.ts'
import { ANN } from '../fakes/service.ts'
import {
  ann,
  atOnce,
  cipher,
  codeOf,
  joinDevices,
  newAddress,
  type Opened,
  requester,
  storages,
} from './opened.ts'

describe.each(storages)('pairing with many at once on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  /** One more process. */
  const start = () => {
    const joined = joinDevices({ store: opened.again(), clock: opened.clock })
    return { ...joined, ...joined.devices.pairing }
  }
  const approved = async () => {
    const service = start()
    const { requestId, code } = await service.request(requester())
    const { id } = await service.approve(ann(), code)
    return { ...service, requestId, id }
  }
  const sessionsOf = async (deviceId: string) => {
    const { rows } = await opened.store.page(sessionRows, {
      ...{ index: 'ofUser', is: ANN.userId, order: 'asc', limit: 200 },
    })
    return rows.filter((row) => row.deviceId === deviceId)
  }

  it('approves a code once, of fifty who enter it', async () => {
    const { request, approve } = start()
    const { code } = await request(requester())
    const entered = await atOnce(50, (n) =>
      codeOf(approve({ principal: { userId: `user_${n}`, role: 'user' }, address: newAddress() }, code)),
    )
    expect(entered.filter((answer) => answer.includes('"status":"approved"'))).toHaveLength(1)
    expect(entered.filter((answer) => answer === 'pairing_code_not_found')).toHaveLength(49)
  })

  it('either approves or rejects, never both', async () => {
    const { request, approve, reject, status } = start()
    for (let n = 0; n < 5; n++) {
      const { requestId, code } = await request(requester())
      const answers = await Promise.all([
        codeOf(approve(ann(), code).then(() => 'approved')),
        codeOf(reject(ann(), code, undefined).then(() => 'rejected')),
      ])
      const [winner = '', ...more] = answers.filter((answer) => answer !== 'pairing_code_not_found')
      expect(more).toEqual([])
      expect((await status(requestId)).status).toBe(JSON.parse(winner))
    }
  })

  it('gives one token and one session, to however many processes that ask', async () => {
    const { requestId, id, sessions } = await approved()
    const processes = Array.from({ length: 8 }, start)
    const states = await atOnce(40, (n) => processes[n % 8]?.status(requestId) ?? Promise.reject())
    expect(new Set(states.map(({ token }) => token)).size).toBe(1)
    expect(await sessionsOf(id)).toHaveLength(1)
    expect(await sessions.principalOf(states[0]?.token ?? '')).toMatchObject({ userId: ANN.userId })
  })

  it('keeps an address to twenty open requests when fifty come at once', async () => {
    const address = newAddress()
    const processes = Array.from({ length: 5 }, start)
    const answers = await atOnce(50, (n) =>
      codeOf(processes[n % 5]?.request(requester({ address })) ?? Promise.reject()),
    )
    expect(answers.filter((answer) => answer.includes('requestId'))).toHaveLength(20)
    expect(answers.filter((answer) => answer === 'too_many_pairing_requests')).toHaveLength(30)
  })

  it('leaves no token that works when revoking races the device fetching it', async () => {
    for (let n = 0; n < 10; n++) {
      const { requestId, id, status, devices, sessions } = await approved()
      const [state] = await Promise.all([status(requestId).catch(() => undefined), devices.revoke(ANN, id)])
      if (state?.token !== undefined) expect(await sessions.principalOf(state.token)).toBeUndefined()
      expect(await codeOf(status(requestId))).toBe('pairing_request_not_found')
    }
  })

  it('gives no token that a late process opened after the device was revoked', async () => {
    const { id, devices, sessions } = await approved()
    const given: string[] = []
    const beginSession: BeginSession = async (token, userId, deviceId) => {
      given.push(token)
      await devices.revoke(ANN, id)
      return sessions.begin(token, userId, deviceId)
    }
    const row = await opened.store.get(pairings, id)
    if (row === undefined) throw new Error('the device is gone')
    const tokenOf = createTokens({ store: opened.store, cipher, entropy, beginSession })
    expect(await tokenOf(row)).toBeUndefined()
    expect(await sessions.principalOf(given[0] ?? '')).toBeUndefined()
  })
})

describe.each(storages)('a process that dies between approval and token on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it.each([1, 2, 3])('leaves one token, wherever it dies: write %i is its last', async (last) => {
    const before = joinDevices(opened)
    const { requestId, code } = await before.devices.pairing.request(requester())
    const { id } = await before.devices.pairing.approve(ann(), code)
    let writes = 0
    const dying: typeof opened.store = {
      ...opened.store,
      commit: async (...write) => {
        writes += 1
        if (writes > last) throw new Error('dead')
        const outcome = await opened.store.commit(...write)
        if (writes === last) throw new Error('dead')
        return outcome as never
      },
    }
    const dead = joinDevices({ store: dying, clock: opened.clock })
    await expect(dead.devices.pairing.status(requestId)).rejects.toThrow('dead')
    const after = joinDevices(opened)
    const { token = '' } = await after.devices.pairing.status(requestId)
    expect(await after.sessions.principalOf(token)).toMatchObject({ userId: ANN.userId })
    expect(await after.devices.pairing.status(requestId)).toMatchObject({ token })
    const { rows } = await opened.store.page(sessionRows, {
      ...{ index: 'ofUser', is: ANN.userId, order: 'asc', limit: 200 },
    })
    expect(rows.filter((row) => row.deviceId === id)).toHaveLength(1)
  })
})
