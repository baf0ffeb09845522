import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import { pairingSlots, pairings } from '../../lib/devices/rows.ts'
import { createTokens, type DraftSession } from '../../lib/devices/tokens.ts'
import { faulty } from '../accounts/storages.ts'
import { ANN } from '../fakes/service.ts'
import {
  ann,
  atOnce,
  cipher,
  composeDevices,
  newAddress,
  type Opened,
  outcomeCode,
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
    const joined = composeDevices({ store: opened.again(), clock: opened.clock })
    return { ...joined, ...joined.devices.pairing }
  }
  const approved = async () => {
    const service = start()
    const { requestId, code } = await service.request(requester())
    const { id } = await service.approve(ann(), code)
    return { ...service, requestId, id }
  }
  const deviceSessions = async (deviceId: string) => {
    const { rows } = await opened.store.page(sessionRows, {
      index: 'ofUser',
      is: ANN.userId,
      order: 'asc',
      limit: 200,
    })
    return rows.filter((row) => row.deviceId === deviceId)
  }

  it('approves a code once, of fifty who enter it', async () => {
    const { request, approve } = start()
    const { code } = await request(requester())
    const entered = await atOnce(50, (n) =>
      outcomeCode(approve({ principal: { userId: `user_${n}`, role: 'user' }, address: newAddress() }, code)),
    )
    expect(entered.filter((answer) => answer.includes('"status":"approved"'))).toHaveLength(1)
    expect(entered.filter((answer) => answer === 'pairing_code_not_found')).toHaveLength(49)
  })

  it('either approves or rejects, never both', async () => {
    const { request, approve, reject, status } = start()
    for (let n = 0; n < 5; n++) {
      const { requestId, code } = await request(requester())
      const answers = await Promise.all([
        outcomeCode(approve(ann(), code).then(() => 'approved')),
        outcomeCode(reject(ann(), code, undefined).then(() => 'rejected')),
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
    expect(await deviceSessions(id)).toHaveLength(1)
    expect(await sessions.findPrincipal(states[0]?.token ?? '')).toMatchObject({ userId: ANN.userId })
  })

  it('keeps an address to twenty open requests when fifty come at once', async () => {
    const address = newAddress()
    const processes = Array.from({ length: 5 }, start)
    const answers = await atOnce(50, (n) =>
      outcomeCode(processes[n % 5]?.request(requester({ address })) ?? Promise.reject()),
    )
    expect(answers.filter((answer) => answer.includes('requestId'))).toHaveLength(20)
    expect(answers.filter((answer) => answer === 'too_many_pairing_requests')).toHaveLength(30)
  })

  it('leaves no token that works when revoking races the device fetching it', async () => {
    for (let n = 0; n < 10; n++) {
      const { requestId, id, status, devices, sessions } = await approved()
      const [state] = await Promise.all([status(requestId).catch(() => undefined), devices.revoke(ANN, id)])
      if (state?.token !== undefined) expect(await sessions.findPrincipal(state.token)).toBeUndefined()
      expect(await outcomeCode(status(requestId))).toBe('pairing_request_not_found')
    }
  })

  it('gives no token that a late process opened after the device was revoked', async () => {
    const { id, devices, sessions } = await approved()
    const given: string[] = []
    const { again } = opened
    const late = again()
    const commit: typeof late.commit = async (...change) => {
      await devices.revoke(ANN, id)
      return late.commit(...change)
    }
    const draftSession: DraftSession = (token, userId, deviceId) => {
      given.push(token)
      return sessions.draft(token, userId, deviceId)
    }
    const row = await opened.store.get(pairings, id)
    if (row === undefined) throw new Error('the device is gone')
    const store = Object.assign(Object.create(late), { commit })
    const deviceToken = createTokens({ store, cipher, entropy, draftSession })
    expect(await deviceToken(row)).toBeUndefined()
    expect(await sessions.findPrincipal(given[0] ?? '')).toBeUndefined()
    expect(await deviceSessions(id)).toEqual([])
  })

  it.each(['before', 'after'] as const)(
    'gives one token although storage was not available once, %s the commit',
    async (when) => {
      const { requestId, id, status, sessions } = await approved()
      const fails = [when]
      const unreliable = composeDevices({
        store: faulty(opened.again(), () => fails.pop()),
        clock: opened.clock,
      })
      await expect(unreliable.devices.pairing.status(requestId)).rejects.toMatchObject({
        code: 'storage_unavailable',
      })
      const { token = '' } = await status(requestId)
      expect(await sessions.findPrincipal(token)).toMatchObject({ userId: ANN.userId })
      expect(await status(requestId)).toMatchObject({ token })
      expect(await deviceSessions(id)).toHaveLength(1)
    },
  )

  it('occupies a slot with each request, and with none that was not stored', async () => {
    const address = newAddress()
    const slots = async () =>
      (await opened.store.page(pairingSlots, { index: 'ofAddress', is: address, order: 'asc', limit: 50 }))
        .rows
    const fails: ('before' | undefined)[] = []
    const unreliable = composeDevices({
      store: faulty(opened.again(), () => fails.pop()),
      clock: opened.clock,
    })
    const ask = () => unreliable.devices.pairing.request(requester({ address }))
    await ask()
    fails.push('before')
    await expect(ask()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await slots()).toHaveLength(1)
  })
})
