import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import type { Standing } from '../../lib/auth/schema.ts'
import { createSessions, SESSION_MS } from '../../lib/auth/sessions.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createFakeClock } from '../fakes/clock.ts'

const opened = () => {
  const clock = createFakeClock()
  const collections = [sessionRows] as unknown as readonly Collection[]
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const standings = new Map<string, Standing>()
  const stand = (userId: string, standing: Partial<Standing> = {}) =>
    standings.set(userId, { role: 'user', disabled: false, ...standing })
  const paired = new Set<string>()
  const sessions = createSessions({
    store,
    entropy,
    clock,
    standingOf: async (userId) => standings.get(userId),
    isPaired: async (deviceId) => paired.has(deviceId),
  })
  stand('ann')
  return { clock, store, sessions, standings, stand, paired }
}

describe('a session', () => {
  it('belongs to who holds its token, in the role that this one has now', async () => {
    const { sessions, stand } = opened()
    const { token, sessionId } = await sessions.open('ann')
    expect(await sessions.principalOf(token)).toEqual({ userId: 'ann', role: 'user', sessionId })
    stand('ann', { role: 'admin' })
    expect(await sessions.principalOf(token)).toMatchObject({ role: 'admin' })
    expect(await sessions.principalOf(`${token}x`)).toBeUndefined()
    // What is stored opens nothing.
    expect(await sessions.principalOf(sessionId)).toBeUndefined()
  })

  it('lasts for thirty days', async () => {
    const { sessions, clock } = opened()
    const { token } = await sessions.open('ann')
    clock.advance(SESSION_MS - 1)
    expect(await sessions.principalOf(token)).toBeDefined()
    clock.advance(1)
    expect(await sessions.principalOf(token)).toBeUndefined()
  })

  it('is nobody’s when its user is disabled, or gone', async () => {
    const { sessions, stand, standings } = opened()
    const { token } = await sessions.open('ann')
    stand('ann', { disabled: true })
    expect(await sessions.principalOf(token)).toBeUndefined()
    standings.delete('ann')
    expect(await sessions.principalOf(token)).toBeUndefined()
  })

  it('has a token that nobody had before', async () => {
    const { sessions } = opened()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => sessions.open('ann')))
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(50)
    expect(Buffer.from(tokens[0]?.token ?? '', 'base64url')).toHaveLength(32)
  })
})

describe('ending the sessions of a user', () => {
  it('spares one, those of others, and those of devices unless they are meant too', async () => {
    const { sessions, stand, paired } = opened()
    stand('bob')
    paired.add('dev_1')
    const mine = await sessions.open('ann')
    const other = await sessions.open('ann')
    const device = await sessions.begin('token of the device', 'ann', 'dev_1')
    const bobs = await sessions.open('bob')
    const alive = async () => {
      const all = await Promise.all(
        [mine, other, device, bobs].map(({ token }) => sessions.principalOf(token)),
      )
      return all.map((principal) => principal !== undefined)
    }
    await sessions.closeAll('ann', { except: mine.sessionId, devices: false })
    expect(await alive()).toEqual([true, false, true, true])
    await sessions.closeAll('ann', { devices: true })
    expect(await alive()).toEqual([false, false, false, true])
  })

  it('ends them all, however many there are, whatever is spared before them', async () => {
    const { sessions, clock, store } = opened()
    for (let n = 0; n < 210; n++) await sessions.begin(`device ${n}`, 'ann', 'dev_1')
    clock.advance(1)
    for (let n = 0; n < 410; n++) await sessions.open('ann')
    await sessions.closeAll('ann', { devices: false })
    expect(await store.count(sessionRows, { index: 'ofUser', is: 'ann' })).toBe(210)
  })
})
