import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { startCloud } from './started.ts'
import { PASSWORD, visit } from './visitor.ts'

const cloud = forAllTests(startCloud, ({ stop }) => stop())

/** All that is on disk and all that was said. */
const everythingKept = (): string =>
  readdirSync(cloud().folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .concat(cloud().output())
    .join('\n')

describe('secrets', () => {
  it('are nowhere on disk and in no log line: tokens, passwords, invite codes', async () => {
    const canary = 'canary-Pa55word'
    const bob = visit(cloud().baseUrl)
    await bob.signUp('canary', { password: canary })
    await bob.logIn('canary', canary)
    await bob.logIn('canary', `${canary}-wrong`)
    await bob.send('POST /api/auth/signup', { email: 'nobody', password: `${canary}-bad`, name: '' })
    const { code, id } = (await cloud().ann.send('POST /api/auth/invites', {})).body.invite
    const kept = everythingKept()
    // What is kept is looked through where it should be.
    const hash = createHash('sha256').update(bob.token()).digest('hex')
    for (const shown of [hash, id, 'canary@example.com', '$argon2id$v=19$m=19456,t=2,p=1$'])
      expect(kept).toContain(shown)
    for (const secret of [canary, bob.token(), cloud().ann.token(), code.slice(27)])
      expect(kept).not.toContain(secret)
    const records = JSON.stringify((await cloud().ann.send('GET /api/audit?limit=200')).body)
    for (const secret of [canary, code.slice(27)]) expect(records).not.toContain(secret)
  })
})

describe('what no person types', () => {
  it.each([
    '\u0000',
    '__proto__',
    '\u0130'.repeat(255),
    '😀'.repeat(127),
    "' OR 1=1 --",
    '%00',
    '../../etc/passwd',
  ])('as an address or an invite code is refused like any other: %j', async (text) => {
    using mallory = visit(cloud().baseUrl)
    const login = await mallory.send('POST /api/auth/login', { email: text, password: text })
    expect([login.status, login.body.code]).toEqual([401, 'bad_credentials'])
    const signup = await mallory.signUp('mallory', { email: text })
    expect([signup.status, signup.body.code]).toEqual([400, 'validation_failed'])
    const cookie = { cookie: `svc_session=${encodeURIComponent(text)}` }
    expect((await mallory.send('GET /api/tasks', undefined, cookie)).status).toBe(401)
  })

  it.each([{}, { email: 'ann@example.com' }, { email: ['ann@example.com'], password: PASSWORD }, []])(
    'is no login: %j',
    async (body) => {
      expect((await visit(cloud().baseUrl).send('POST /api/auth/login', body)).status).toBe(400)
    },
  )
})
