import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import type { AccountStatus } from '../../lib/auth/schema.ts'
import { createSessions, SESSION_MS } from '../../lib/auth/sessions.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const opened = () => {
  const clock = createFakeClock()
  const log = createFakeLog()
  const collections = [sessionRows] as unknown as readonly Collection[]
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const statuses = new Map<string, AccountStatus>()
  const stand = (userId: string, status: Partial<AccountStatus> = {}) =>
    statuses.set(userId, { role: 'user', disabled: false, ...status })
  const paired = new Set<string>()
  const who = {
    readAccountStatus: async (userId: string) => statuses.get(userId),
    isPaired: async (deviceId: string) => paired.has(deviceId),
    unpair: async (deviceId: string) => void paired.delete(deviceId),
    unpairAll: async () => paired.clear(),
  }
  /** Sessions as another start of the service sees them. */
  const withKey = (fixedKey: string | undefined) =>
    createSessions({ store, entropy, clock, log, ...who, fixedKey })
  const sessions = createSessions({
    store,
    entropy,
    clock,
    log,
    ...who,
  })
  /** Begins the session of a device with that token. */
  const beginDevice = async (of: typeof sessions, token: string, userId: string) => {
    await store.commit(of.draft(token, userId, 'dev_1').write)
    return { token }
  }
  stand('ann')
  return { clock, store, sessions, withKey, statuses, stand, paired, beginDevice }
}

describe('a session', () => {
  it('belongs to who holds its token, in the role that this one has now', async () => {
    const { sessions, stand } = opened()
    const { token, sessionId } = await sessions.open('ann')
    expect(await sessions.findPrincipal(token)).toEqual({ userId: 'ann', role: 'user', sessionId })
    stand('ann', { role: 'admin' })
    expect(await sessions.findPrincipal(token)).toMatchObject({ role: 'admin' })
    expect(await sessions.findPrincipal(`${token}x`)).toBeUndefined()
    // What is stored opens nothing.
    expect(await sessions.findPrincipal(sessionId)).toBeUndefined()
  })

  it('lasts for thirty days', async () => {
    const { sessions, clock } = opened()
    const { token } = await sessions.open('ann')
    clock.advance(SESSION_MS - 1)
    expect(await sessions.findPrincipal(token)).toBeDefined()
    clock.advance(1)
    expect(await sessions.findPrincipal(token)).toBeUndefined()
  })

  it('is invalid when its user is disabled, or gone', async () => {
    const { sessions, stand, statuses } = opened()
    const { token } = await sessions.open('ann')
    stand('ann', { disabled: true })
    expect(await sessions.findPrincipal(token)).toBeUndefined()
    statuses.delete('ann')
    expect(await sessions.findPrincipal(token)).toBeUndefined()
  })

  it('has a new token', async () => {
    const { sessions } = opened()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => sessions.open('ann')))
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(50)
    expect(Buffer.from(tokens[0]?.token ?? '', 'base64url')).toHaveLength(32)
  })
})

describe('a session of the local user', () => {
  it('is worth something under the ACCESS_KEY it was opened with, and a device’s and others’ under any', async () => {
    const { withKey, stand, paired, beginDevice } = opened()
    stand('local', { role: 'admin' })
    paired.add('dev_1')
    const { token } = await withKey('first key').open('local')
    await beginDevice(withKey('first key'), 'token of the device', 'local')
    const { token: anns } = await withKey('first key').open('ann')
    const works = async (key: string | undefined, which: string) =>
      (await withKey(key).findPrincipal(which)) !== undefined
    for (const key of ['first key', 'second key', undefined]) {
      expect(await works(key, token)).toBe(key === 'first key')
      expect(await works(key, 'token of the device')).toBe(true)
      expect(await works(key, anns)).toBe(true)
    }
  })

  it('does not tell the key to who reads the storage, nor that two were opened with the same', async () => {
    const { withKey, stand, store } = opened()
    stand('local')
    await withKey('first key').open('local')
    await withKey('first key').open('local')
    const { rows } = await store.page(sessionRows, { index: 'ofUser', is: 'local', order: 'asc', limit: 9 })
    expect(rows[0]?.keyProof).toMatch(/^[\w-]{43}$/)
    expect(rows[0]?.keyProof).not.toBe(rows[1]?.keyProof)
  })
})

describe('ending the sessions of a user', () => {
  it('spares one, those of others, and those of devices unless they are meant too', async () => {
    const { sessions, stand, paired, beginDevice } = opened()
    stand('bob')
    paired.add('dev_1')
    const mine = await sessions.open('ann')
    const other = await sessions.open('ann')
    const device = await beginDevice(sessions, 'token of the device', 'ann')
    const bobs = await sessions.open('bob')
    const alive = async () => {
      const all = await Promise.all(
        [mine, other, device, bobs].map(({ token }) => sessions.findPrincipal(token)),
      )
      return all.map((principal) => principal !== undefined)
    }
    await sessions.closeAll('ann', { except: mine.sessionId })
    expect(await alive()).toEqual([true, false, true, true])
    await sessions.closeAll('ann', { devices: { by: { userId: 'ann' } } })
    expect(await alive()).toEqual([false, false, false, true])
  })

  it('ends them all, however many there are, whatever is spared before them', async () => {
    const { sessions, clock, store, beginDevice } = opened()
    for (let n = 0; n < 210; n++) await beginDevice(sessions, `device ${n}`, 'ann')
    clock.advance(1)
    for (let n = 0; n < 410; n++) await sessions.open('ann')
    await sessions.closeAll('ann', {})
    expect(await store.count(sessionRows, { index: 'ofUser', is: 'ann' })).toBe(210)
  })
})

describe('when a session was seen', () => {
  it('is known to within a minute, by one write a minute', async () => {
    const { sessions, store, clock } = opened()
    const { token, sessionId } = await sessions.open('ann')
    const seen = async () => (await store.get(sessionRows, sessionId))?.lastSeenAt
    expect(await seen()).toBeUndefined()
    await sessions.findPrincipal(token)
    const first = await seen()
    expect(first).toBeDefined()
    clock.advance(59_999)
    await sessions.findPrincipal(token)
    expect(await seen()).toBe(first)
    clock.advance(1)
    await sessions.findPrincipal(token)
    expect(Date.parse((await seen()) ?? '') - Date.parse(first ?? '')).toBe(60_000)
  })

  it('costs no request that storage has no time for', async () => {
    const { store, clock, statuses } = opened()
    const busy = {
      ...store,
      get: store.get.bind(store),
      commit: async () => Promise.reject(new Error('busy')),
    }
    const log = createFakeLog()
    const rest = {
      isPaired: async () => true,
      unpair: async () => undefined,
      unpairAll: async () => undefined,
    }
    const needs = { entropy, clock, log, readAccountStatus: async (id: string) => statuses.get(id), ...rest }
    const { token } = await createSessions({ ...needs, store }).open('ann')
    expect(await createSessions({ ...needs, store: busy as never }).findPrincipal(token)).toBeDefined()
    expect(log.entries).toMatchObject([{ level: 'warn' }])
  })
})
