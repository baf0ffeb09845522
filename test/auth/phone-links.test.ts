import { hash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { users } from '../../lib/accounts/rows.ts'
import { phoneLinks } from '../../lib/auth/rows.ts'
import { type Visitor, visit } from '../accounts/visitor.ts'
import { startApi } from '../fakes/caller.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { ANN } from '../fakes/service.ts'
import { openService } from '../journeys/opened-service.ts'

const cloud = forAllTests(
  () => openService({ AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', TRUST_PROXY: '1' }),
  (service) => service[Symbol.asyncDispose](),
)
const PHONE = { 'user-agent': 'Mozilla/5.0 (iPhone)' }
const phone = () => visit(cloud().baseUrl, PHONE)
const someone = async (name: string): Promise<Visitor> => {
  const visitor = visit(cloud().baseUrl)
  await visitor.signUp(name)
  return visitor
}
const link = async (visitor: Visitor) => {
  const { status, body } = await visitor.send('POST /api/auth/phone')
  expect(status).toBe(201)
  return { ...body, code: new URL(body.url).hash.slice(1) } as { id: string; url: string; code: string }
}
const use = (visitor: Visitor, code: string) => visitor.send('POST /api/auth/phone/sign-in', { code })

/** A phone of its own. */
const useElsewhere = async (code: string) => {
  using other = phone()
  return await use(other, code)
}

describe('a link that signs a phone in', () => {
  it('works once: the phone has a session of the user, which is listed, on record and can be ended', async () => {
    using ann = await someone('phone-ann')
    const { id, url, code } = await link(ann)
    expect(url).toMatch(/\/sign-in\/phone#[\w-]{43}$/)
    expect((await ann.send(`GET /api/auth/phone/${id}`)).body).toEqual({ status: 'open' })
    using mobile = phone()
    const { status, cookie } = await use(mobile, code)
    expect([status, cookie]).toEqual([
      200,
      expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/; HttpOnly/),
    ])
    expect((await mobile.send('GET /api/auth/me')).body.user.name).toBe('phone-ann')
    expect((await ann.send(`GET /api/auth/phone/${id}`)).body).toMatchObject({ status: 'used' })
    expect((await useElsewhere(code)).body.code).toBe('bad_phone_link')
    const { sessions } = (await ann.send('GET /api/auth/sessions')).body
    const found = sessions.find(({ userAgent }: { userAgent: string }) => userAgent === PHONE['user-agent'])
    const { records } = (await ann.send('GET /api/audit')).body
    expect(records?.map(({ action }: { action: string }) => action) ?? []).toContain('session.phone')
    await ann.send(`DELETE /api/auth/sessions/${found.id}`)
    expect((await mobile.send('GET /api/tasks')).status).toBe(401)
  })

  it('is made by who is signed in, read by who made it, and ends with the session that made it', async () => {
    using stranger = phone()
    expect((await stranger.send('POST /api/auth/phone')).status).toBe(401)
    using ann = await someone('phone-owner')
    using bob = await someone('phone-other')
    const { id, code } = await link(ann)
    expect((await bob.send(`GET /api/auth/phone/${id}`)).body.code).toBe('phone_link_not_found')
    await ann.send('POST /api/auth/logout')
    expect((await use(stranger, code)).body.code).toBe('bad_phone_link')
  })

  it('is guessed ten times a minute at most, by codes that are right too', async () => {
    using ann = await someone('phone-guessed')
    const { code } = await link(ann)
    using guesser = phone()
    const statuses = []
    for (let n = 0; n < 10; n++) statuses.push((await use(guesser, `wrong-${n}`)).status)
    expect(statuses).toEqual(Array(10).fill(401))
    expect((await use(guesser, code)).body.code).toBe('rate_limited')
    expect((await useElsewhere(code)).status).toBe(200)
  })

  it('expires after two minutes, works for one of three phones at once and for no disabled account, and is stored as a hash', async () => {
    await using api = await startApi({ env: { AUTH_MODE: 'cloud' } })
    const { store, sessions, phoneLinks: phones, clock } = api.service
    const row = {
      id: ANN.userId,
      email: 'ann@example.com',
      name: 'Ann',
      role: 'user',
      disabled: false,
    } as const
    await store.commit({ insert: users, row })
    const { sessionId } = await sessions.open(ANN.userId)
    const as = { ...ANN, sessionId }
    const make = async () => new URL((await api.call('POST /api/auth/phone', { as })).body.url).hash.slice(1)
    const [early, late, disabled] = [await make(), await make(), await make()]
    expect(JSON.stringify(await store.get(phoneLinks, hash('sha256', early)))).not.toContain(early)
    const signIn = (code: string) => api.call('POST /api/auth/phone/sign-in', { body: { code } })
    clock.advance(119_000)
    // Through a route the limit of tries would let them in one after another.
    const atOnce = [1, 2, 3].map(() => phones.signIn(early, { isSecure: false, address: '' }))
    const outcomes = (await Promise.allSettled(atOnce)).map(({ status }) => status)
    expect(outcomes.sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await store.commit({ update: users, key: row.id, set: { disabled: true } })
    expect((await signIn(disabled)).body.code).toBe('bad_phone_link')
    await store.commit({ update: users, key: row.id, set: { disabled: false } })
    clock.advance(1_000)
    expect((await signIn(late)).body.code).toBe('bad_phone_link')
  })

  it('is for accounts: where there are none, it is refused', async () => {
    await using service = await openService({ ACCESS_KEY: 'a-long-access-key' })
    using local = visit(service.baseUrl, {}, { direct: true })
    const { status } = await local.send('POST /api/auth/verify-access-key', { key: 'a-long-access-key' })
    expect(status).toBe(200)
    expect((await local.send('POST /api/auth/phone')).body.code).toBe('accounts_only')
  })
})
