import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'
import { personAt } from './key-person.ts'

const KEY = 'the key of the house'

const started = async (env: Environment = {}) => {
  const folder = temporaryFolder()
  const everywhere = { DATA_DIR: folder.path, LOG_LEVEL: 'debug' }
  let service = await startService({ env: { ...everywhere, ...env } })
  const person = () => personAt(service.baseUrl)
  return {
    person,
    restart: async (other: Environment) => {
      await service.stop()
      service = await startService({ env: { ...everywhere, PORT: new URL(service.baseUrl).port, ...other } })
    },
    kept: () =>
      readdirSync(folder.path)
        .filter((name) => name.startsWith('service.db'))
        .map((name) => readFileSync(path.join(folder.path, name), 'latin1'))
        .concat(service.output())
        .join('\n'),
    async [Symbol.asyncDispose]() {
      await service.kill9()
      folder[Symbol.dispose]()
    },
  }
}

describe('an access key that was never set', () => {
  const house = forAllTests(started, (running) => running[Symbol.asyncDispose]())

  it('is not needed while there is none', async () => {
    const ann = house().person()
    expect(await ann.may()).toBe(true)
    const told = await ann.tell('anything')
    expect([told.status, told.body.code]).toEqual([400, 'no_access_key'])
  })

  it('is a text of 6 to 1024 characters', async () => {
    const ann = house().person()
    for (const key of ['short', '', 'of a file\n', 'x'.repeat(1_025), 12345678, undefined])
      expect((await ann.change(key)).status).toBe(400)
    expect(await ann.may()).toBe(true)
  })
})

describe('the access key of local mode', () => {
  it('keeps who sets it signed in, and asks everybody else', async () => {
    await using house = await started()
    const [ann, bob] = [house.person(), house.person()]
    const set = await ann.change(KEY)
    expect([set.status, set.body]).toEqual([
      200,
      { success: true, hasAccessKey: true, message: expect.any(String) },
    ])
    expect([await ann.may(), await bob.may()]).toEqual([true, false])
    const me = await bob.send('GET /api/auth/me')
    expect([me.status, me.body]).toMatchObject([
      401,
      { authenticated: false, authMode: 'local', accessKeyRequired: true },
    ])
    const wrong = await bob.tell('the key of the hose')
    expect([wrong.status, wrong.body.code, wrong.cookie]).toEqual([401, 'wrong_access_key', ''])
    const right = await bob.tell(KEY)
    expect([right.status, right.body]).toEqual([200, { success: true, message: expect.any(String) }])
    expect(right.cookie).toMatch(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
    expect((await bob.send('GET /api/auth/me')).body.user).toMatchObject({ id: 'local', role: 'admin' })
  })

  it('signs out all other sessions when it changes, and is not required once it is removed', async () => {
    await using house = await started()
    const [ann, bob] = [house.person(), house.person()]
    await ann.change(KEY)
    await bob.tell(KEY)
    await ann.change(`${KEY} 2`)
    expect([await ann.may(), await bob.may()]).toEqual([true, false])
    expect((await bob.tell(KEY)).status).toBe(401)
    expect((await bob.change(null)).status).toBe(401)
    expect((await ann.change(null)).body).toMatchObject({ success: true, hasAccessKey: false })
    expect(await house.person().may()).toBe(true)
  })

  it('is not changed where the environment has it', async () => {
    await using house = await started({ ACCESS_KEY: KEY })
    const ann = house.person()
    expect(await ann.may()).toBe(false)
    expect((await ann.tell(KEY)).status).toBe(200)
    const changed = await ann.change('another key')
    expect([changed.status, changed.body.code]).toEqual([400, 'setting_not_changeable'])
    expect((await ann.change(null)).status).toBe(400)
  })

  it('signs everybody out when the environment has another one, or none any more', async () => {
    await using house = await started({ ACCESS_KEY: KEY })
    const ann = house.person()
    await ann.tell(KEY)
    await house.restart({ ACCESS_KEY: KEY })
    expect(await ann.may()).toBe(true)
    await house.restart({ ACCESS_KEY: `${KEY} 2` })
    expect(await ann.may()).toBe(false)
    await ann.tell(`${KEY} 2`)
    expect(await ann.may()).toBe(true)
    await house.restart({})
    await house.person().change(`${KEY} 3`)
    expect(await ann.may()).toBe(false)
  })

  it('signs out who knew the stored one when the environment has one', async () => {
    await using house = await started()
    const ann = house.person()
    await ann.change(KEY)
    expect(await ann.may()).toBe(true)
    await house.restart({ ACCESS_KEY: `${KEY} 2` })
    expect(await ann.may()).toBe(false)
  })

  it('belongs to local mode', async () => {
    await using house = await started({ AUTH_MODE: 'cloud' })
    const ann = house.person()
    await ann.signUp('ann')
    for (const answer of [await ann.tell(KEY), await ann.change(KEY)])
      expect([answer.status, answer.body.code]).toEqual([501, 'local_mode_only'])
  })

  it('is stored as its hash only, and neither logged nor on record', async () => {
    await using house = await started()
    const ann = house.person()
    await ann.change(KEY)
    await ann.tell(KEY)
    const kept = house.kept()
    expect(kept).toContain('$argon2id$')
    expect(kept).toContain('access-key.set')
    expect(kept).not.toContain(KEY)
    const { records } = (await ann.send('GET /api/audit')).body
    expect(records).toMatchObject([{ action: 'access-key.set', userId: 'local', details: {} }])
  })
})
