import { describe, expect, it } from '@jest/globals'
import { registrations } from '../../lib/accounts/rows.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { openedService } from '../journeys/opened-service.ts'
import { bearer, startCloud } from './started.ts'
import { storages } from './storages.ts'
import { PASSWORD, type Visitor, visit } from './visitor.ts'
import { count, createWorld, outcomes } from './world.ts'

const cloud = forAllTests(startCloud, ({ stop }) => stop())
const local = openedService()
const NEW = 'battery staple 2'

/** Pairs a device of somebody, as people do; answers its token. */
const pairDevice = async (who: Awaited<ReturnType<ReturnType<typeof cloud>['newcomer']>>) => {
  const { requestId, code } = (await who.send('POST /api/devices/pairing/request', { requesterId: 'phone' }))
    .body
  await who.send('POST /api/devices/pairing/approve', { code })
  return (await who.send(`GET /api/devices/pairing/status/${requestId}`)).body.token as string
}

const change = (currentPassword: string, newPassword = NEW) => ({ currentPassword, newPassword })

describe('changing a password', () => {
  it('ends every other session and device, and keeps this session and the API tokens', async () => {
    const bob = await cloud().newcomer('change-bob')
    const other = bob.token()
    const device = await pairDevice(bob)
    const { token } = (await bob.send('POST /api/tokens', { name: 'ci', scopes: ['gateway'] })).body
    await bob.logIn('change-bob')
    const { status, body } = await bob.send('POST /api/auth/password', change(PASSWORD))
    expect({ status, body }).toEqual({ status: 200, body: { message: expect.any(String) } })
    const statusWithToken = async (text: string, path = '/api/tasks') =>
      (await visit(cloud().baseUrl).send(`GET ${path}`, undefined, bearer(text))).status
    expect([
      await statusWithToken(bob.token()),
      await statusWithToken(other),
      await statusWithToken(device),
    ]).toEqual([200, 401, 401])
    // An unknown request is 404 to who holds a token, 401 to nobody.
    expect(await statusWithToken(token, '/api/gateway/none/status')).toBe(404)
    const logins = [await bob.logIn('change-bob'), await bob.logIn('change-bob', NEW)]
    expect(logins.map((login) => login.status)).toEqual([401, 200])
  })

  it.each([
    ['a wrong current password', change('not it 1'), 401, 'wrong_password'],
    ['a new one without a number', change(PASSWORD, 'only letters'), 400, 'validation_failed'],
    ['a new one that is too short', change(PASSWORD, 'short 1'), 400, 'validation_failed'],
    ['no current one', { newPassword: NEW }, 400, 'validation_failed'],
  ])('is refused for %s, and ends nothing', async (_what, body, status, code) => {
    const bob = await cloud().newcomer(`refused-${code}-${Math.random()}`)
    expect(await bob.send('POST /api/auth/password', body)).toMatchObject({ status, body: { code } })
    expect((await bob.send('GET /api/tasks')).status).toBe(200)
  })

  it('is tried ten times a minute, by a session that was stolen', async () => {
    const bob = await cloud().newcomer('change-limited')
    const came = []
    for (let n = 0; n < 11; n++)
      came.push((await bob.send('POST /api/auth/password', change(`guess ${n}`))).status)
    expect(came).toEqual([...Array(10).fill(401), 429])
  })

  it('is on record, and so are refusals', async () => {
    const bob = await cloud().newcomer('change-recorded')
    await bob.send('POST /api/auth/password', change('not it 1'))
    await bob.send('POST /api/auth/password', change(PASSWORD))
    const { records } = (await cloud().ann.send(`GET /api/audit?userId=${bob.id}`)).body
    expect(records.slice(0, 2)).toMatchObject([
      { action: 'password.change', details: { userId: bob.id } },
      { action: 'auth.refused', details: { with: 'current-password', address: expect.any(String) } },
    ])
  })

  it('is 501 where passwords are not used', async () => {
    const answer = await visit(local().baseUrl, {}, { direct: true }).send(
      'POST /api/auth/password',
      change(PASSWORD),
    )
    expect([answer.status, answer.body.code]).toEqual([501, 'cloud_mode_only'])
  })

  it.each([{ password: NEW }, { email: 'x@example.com' }, { name: 'Bob', password: NEW }])(
    'is not what PATCH /api/auth/me does, which says where: %j',
    async (body) => {
      const { ann } = cloud()
      const answer = await ann.send('PATCH /api/auth/me', body)
      expect(answer).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('POST /api/auth/password') },
      })
      expect((await ann.send('GET /api/auth/me')).body.user.name).toBe('ann')
    },
  )
})

describe('a reset code', () => {
  const codeFor = async ({ id }: { id: string }) =>
    (await cloud().ann.send(`POST /api/users/${id}/reset-code`)) as { status: number; body: { code: string } }
  const reset = (who: Visitor, name: string, code: string, newPassword = NEW) =>
    who.send('POST /api/auth/reset', { email: `${name}@example.com`, code, newPassword })

  it('sets another password once, signs in, and ends every session and device', async () => {
    const bob = await cloud().newcomer('reset-bob')
    const device = await pairDevice(bob)
    const { status, body } = await codeFor(bob)
    expect({ status, body }).toEqual({
      status: 201,
      body: { code: expect.stringMatching(/^[\w-]{22}$/), expiresAt: expect.any(String) },
    })
    using fresh = visit(cloud().baseUrl)
    const answer = await reset(fresh, 'Reset-BOB', body.code)
    expect([answer.status, answer.body.user.id]).toEqual([200, bob.id])
    expect((await fresh.send('GET /api/tasks')).status).toBe(200)
    expect((await bob.send('GET /api/tasks')).status).toBe(401)
    expect((await bob.send('GET /api/tasks', undefined, bearer(device))).status).toBe(401)
    expect((await visit(cloud().baseUrl).logIn('reset-bob')).status).toBe(401)
    expect((await visit(cloud().baseUrl).logIn('reset-bob', NEW)).status).toBe(200)
    expect((await reset(visit(cloud().baseUrl), 'reset-bob', body.code)).status).toBe(401)
  })

  it('answers alike whatever is wrong', async () => {
    const bob = await cloud().newcomer('reset-alike')
    const gone = await cloud().newcomer('reset-disabled')
    await cloud().newcomer('reset-none')
    const { code: older } = (await codeFor(bob)).body
    const { code } = (await codeFor(bob)).body
    const { code: ofGone } = (await codeFor(gone)).body
    await cloud().ann.send(`PATCH /api/users/${gone.id}`, { disabled: true })
    const answers: object[] = []
    for (const [name, tried] of [
      ['reset-alike', `${code}x`],
      ['reset-alike', older],
      ['reset-nobody', code],
      ['reset-none', code],
      ['reset-disabled', ofGone],
    ] as const) {
      const { status, body } = await reset(visit(cloud().baseUrl), name, tried)
      answers.push({ status, ...body, requestId: '' })
    }
    expect(answers).toEqual(answers.map(() => answers[0]))
    expect(answers[0]).toMatchObject({ status: 401, code: 'bad_reset_code' })
    expect((await bob.send('GET /api/tasks')).status).toBe(200)
  })

  it('is tried ten times a minute for an account, from wherever', async () => {
    const came = []
    for (let n = 0; n < 11; n++)
      came.push((await reset(visit(cloud().baseUrl), 'reset-limited', `guess ${n}`)).status)
    expect(came).toEqual([...Array(10).fill(401), 429])
  })

  it('is used up by a change of the password', async () => {
    const bob = await cloud().newcomer('reset-changed')
    const { code } = (await codeFor(bob)).body
    await bob.send('POST /api/auth/password', change(PASSWORD))
    expect((await reset(visit(cloud().baseUrl), 'reset-changed', code)).status).toBe(401)
  })

  it('is on record without the code, and so is what it was refused for', async () => {
    const bob = await cloud().newcomer('reset-recorded')
    const { code } = (await codeFor(bob)).body
    await reset(visit(cloud().baseUrl), 'reset-recorded', 'a guess')
    await reset(visit(cloud().baseUrl), 'reset-recorded', code)
    const { records } = (await cloud().ann.send('GET /api/audit?limit=3')).body
    expect(records).toMatchObject([
      { action: 'password.reset', userId: bob.id, details: { userId: bob.id } },
      { action: 'auth.refused', details: { with: 'reset-code', email: 'r***@example.com' } },
      { action: 'password.reset-code', details: { userId: bob.id, expiresAt: expect.any(String) } },
    ])
    expect(JSON.stringify(records)).not.toContain(code)
  })

  it('is 501 where passwords are not used', async () => {
    using who = visit(local().baseUrl, {}, { direct: true })
    const answers = [await who.send('POST /api/users/user_1/reset-code'), await reset(who, 'ann', 'x')]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [501, 'cloud_mode_only'],
      [501, 'cloud_mode_only'],
    ])
  })
})

describe.each(storages)('passwords in %s', (_name, open) => {
  const medium = forAllTests(open, ({ close }) => close())
  const peopled = async () => {
    const { store } = await medium().fresh()
    const world = createWorld({ store, registrationMode: 'open' })
    const { id } = await world.signUp('Ann')
    const ann = { userId: id, role: 'user' as const, sessionId: 'mine' }
    return { ...world, ann }
  }

  it('are changed by one of several changes at once', async () => {
    const { accounts, ann, logIn } = await peopled()
    const wanted = ['first try 1', 'second try 2', 'third try 3']
    const came = await outcomes(
      wanted.map((password) => accounts.changePassword(ann, change(PASSWORD, password))),
    )
    expect(count(came, 'wrong_password')).toBe(2)
    const logins = await outcomes(wanted.map((password) => logIn('Ann', password)))
    expect(count(logins, 'bad_credentials')).toBe(2)
  })

  it('end what began to be signed in while they were changed', async () => {
    const { accounts, ann, ended } = await peopled()
    await accounts.changePassword(ann, change(PASSWORD))
    // Once before the write, for a process that dies then, and once after it.
    expect(ended).toEqual([1, 2].map(() => ({ userId: ann.userId, by: ann.userId })))
  })

  it('refuse a login that was under way with the old one', async () => {
    const { accounts, ann } = await peopled()
    const login = { email: 'ann@example.com', password: PASSWORD }
    const { confirm } = await accounts.logIn(login)
    await confirm()
    await accounts.changePassword(ann, change(PASSWORD))
    await expect(confirm()).rejects.toMatchObject({ code: 'bad_credentials' })
  })

  it('are set by one of several who have the same code, and the code is stored as its hash', async () => {
    const { accounts, store, ann, logIn } = await peopled()
    const { code } = await accounts.createResetCode(ann, ann.userId)
    const row = await store.get(registrations, 'ann@example.com')
    expect(JSON.stringify(row)).not.toContain(code)
    const wanted = ['first try 1', 'second try 2', 'third try 3']
    const reset = (newPassword: string) =>
      accounts.resetPassword({ email: 'ann@example.com', code, newPassword })
    expect(count(await outcomes(wanted.map(reset)), 'bad_reset_code')).toBe(2)
    const logins = await outcomes(wanted.map((password) => logIn('Ann', password)))
    expect(count(logins, 'bad_credentials')).toBe(2)
  })

  it.each([
    [3_599_999, 'is set'],
    [3_600_000, 'bad_reset_code'],
  ])('are set by a code for an hour: after %d ms one %s', async (ms, outcome) => {
    const { accounts, clock, ann } = await peopled()
    const { code } = await accounts.createResetCode(ann, ann.userId)
    clock.advance(ms)
    const given = { email: 'ann@example.com', code, newPassword: NEW }
    const came = await outcomes([accounts.resetPassword(given).then(() => 'is set')])
    expect(came).toEqual([outcome])
  })
})
