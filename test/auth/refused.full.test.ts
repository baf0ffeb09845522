import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startCloud } from '../accounts/started.ts'
import { visit } from '../accounts/visitor.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

const REFUSED = 'GET /api/audit?action=auth.refused&limit=200'

describe('a refused login', () => {
  let cloud: Awaited<ReturnType<typeof startCloud>>
  beforeAll(async () => {
    cloud = await startCloud()
  })
  afterAll(() => cloud.stop())
  const records = async () => (await cloud.ann.send(REFUSED)).body.records

  it('is on record with where it came from, an address to be recognised by, and no password', async () => {
    using stranger = visit(cloud.baseUrl)
    const password = 'CANARY password 1'
    const tried = { email: 'Ann@example.com', password }
    const answer = await stranger.send('POST /api/auth/login', tried)
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    const [record] = await records()
    expect(record).toMatchObject({
      userId: 'anonymous',
      details: { with: 'password', email: 'A***@example.com', address: expect.stringMatching(/^198\.51\./) },
    })
    expect(Object.keys(record.details).sort()).toEqual(['address', 'email', 'with'])
  })

  it('shows nothing of a password that was typed in the place of the address', async () => {
    using stranger = visit(cloud.baseUrl)
    for (const email of ['CANARY password 1', 'CANARY@password', '@', 'CANARY@secret word@x', 'p@CANARY.1'])
      expect((await stranger.send('POST /api/auth/login', { email, password: 'x' })).status).toBe(401)
    const told = JSON.stringify(await records())
    for (const canary of ['ANARY', 'secret word']) expect(told).not.toContain(canary)
    expect(cloud.output()).not.toContain('ANARY')
  })

  it('leaves nothing in storage of a password that was typed in the place of the address', async () => {
    using stranger = visit(cloud.baseUrl)
    await stranger.send('POST /api/auth/login', { email: 'Nightjar7!typed', password: 'x' })
    await stranger.send('POST /api/auth/login', { email: 'whinchat@example.com', password: 'x' })
    const stored = readdirSync(cloud.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1').toLowerCase())
      .join()
    const found = ['auth.refused', 'nightjar', 'whinchat'].filter((text) => stored.includes(text))
    expect(found).toEqual(['auth.refused'])
  })

  it('is on record as often as there may be any, and not more often', async () => {
    using stranger = visit(cloud.baseUrl)
    const before = (await records()).length
    for (let n = 0; n < 15; n++)
      await stranger.send('POST /api/auth/login', { email: 'no@x.org', password: 'x' })
    expect((await records()).length - before).toBe(10)
  })

  it('is none where it succeeds', async () => {
    const before = (await records()).length
    using ann = visit(cloud.baseUrl)
    expect((await ann.logIn('ann')).status).toBe(200)
    expect(await records()).toHaveLength(before)
  })
})

describe('a wrong access key', () => {
  it('is on record with where it came from, and without the key', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, ACCESS_KEY: 'the key of the house', LOG_LEVEL: 'debug' }
    await using service = await startService({ env })
    using ann = visit(service.baseUrl, {}, { direct: true })
    const key = 'CANARY of a key'
    expect((await ann.send('POST /api/auth/verify-access-key', { key })).status).toBe(401)
    await ann.send('POST /api/auth/verify-access-key', { key: env.ACCESS_KEY })
    expect((await ann.send(REFUSED)).body.records).toMatchObject([
      { userId: 'anonymous', details: { with: 'access-key', address: '127.0.0.1' } },
    ])
    expect(service.output()).not.toContain('CANARY')
  })
})
