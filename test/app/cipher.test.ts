import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openLocalCipher } from '../../lib/app/cipher.ts'
import { openCloudCipher } from '../../lib/app/cloud-ports.ts'
import { readConfig } from '../../lib/config/config.ts'
import { startKms } from '../adapters/kms/server.ts'
import { temporaryFolder } from '../journeys/service.ts'

const KEY = randomBytes(32).toString('base64')
const UNREADABLE = { code: 'sealed_text_unreadable' }

describe('the cipher of a service', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => folder[Symbol.dispose]())

  const config = (env: Record<string, string>) => readConfig({ DATA_DIR: folder.in('data'), ...env })
  const local = (env: Record<string, string> = {}) => openLocalCipher(config(env), { entropy })
  const cloud = (env: Record<string, string> = {}) =>
    openCloudCipher(config({ SERVICE_MODE: 'pro', ...env }), { entropy, clock: createClock() })
  const keyFile = () => folder.in('data', 'encryption.key')

  it('in mini has a key file in the data folder', async () => {
    const sealed = await local().seal('a secret', 'here')
    expect(existsSync(keyFile())).toBe(true)
    expect(await local().open(sealed, 'here')).toBe('a secret')
  })

  it('has ENCRYPTION_KEY where it is set, and still reads what the key file sealed', async () => {
    const before = await local().seal('a secret', 'here')
    const given = local({ ENCRYPTION_KEY: KEY })
    expect(await given.open(before, 'here')).toBe('a secret')
    const sealed = await given.seal('another', 'here')
    expect(await local({ ENCRYPTION_KEY: KEY }).open(sealed, 'here')).toBe('another')
    await expect(local().open(sealed, 'here')).rejects.toMatchObject(UNREADABLE)
  })

  it('in pico has a key that dies with the process, and writes no file', async () => {
    const [one, other] = [local({ SERVICE_MODE: 'pico' }), local({ SERVICE_MODE: 'pico' })]
    const sealed = await one.seal('a secret', 'here')
    expect(await one.open(sealed, 'here')).toBe('a secret')
    await expect(other.open(sealed, 'here')).rejects.toMatchObject(UNREADABLE)
    expect(existsSync(folder.in('data'))).toBe(false)
  })

  it('in pro has KMS where KMS_KEY_ID says so, and still reads what ENCRYPTION_KEY sealed', async () => {
    const kms = await startKms('key-1')
    // The SDK takes credentials from the environment, as in a function.
    const before = { ...process.env }
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' })
    try {
      const older = await cloud({ ENCRYPTION_KEY: KEY }).seal('older', 'here')
      const one = cloud({ KMS_KEY_ID: 'key-1', KMS_ENDPOINT: kms.endpoint, ENCRYPTION_KEY: KEY })
      expect(await one.open(await one.seal('a secret', 'here'), 'here')).toBe('a secret')
      expect(await one.open(older, 'here')).toBe('older')
      expect(kms.calls).toEqual(['GenerateDataKey', 'Decrypt'])
    } finally {
      process.env = before
      await kms.stop()
    }
  })

  it('in pro on emulators does with a key file', async () => {
    const sealed = await cloud({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }).seal('a secret', 'here')
    expect(await local().open(sealed, 'here')).toBe('a secret')
  })

  it('in pro, deployed without a key, says what to set', async () => {
    await expect(cloud().seal('a secret', 'here')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'encryption_not_configured',
      message: expect.stringMatching(/KMS_KEY_ID.*ENCRYPTION_KEY/),
    })
  })
})
