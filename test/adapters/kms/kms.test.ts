import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createKmsCipher, openKms } from '../../../lib/adapters/aws/kms.ts'
import { createCipher } from '../../../lib/adapters/node/cipher.ts'
import { entropy } from '../../../lib/adapters/node/entropy.ts'
import type { Cipher } from '../../../lib/ports/cipher.ts'
import { CREDENTIALS, REGION } from '../../../offline/emulators.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { type Kms, startKms } from './server.ts'

const UNREADABLE = { kind: 'unavailable', code: 'sealed_text_unreadable' }
const MINUTES_5 = 300_000

describe('sealing with KMS', () => {
  let kms: Kms
  let client: Awaited<ReturnType<typeof openKms>>
  const clock = createFakeClock()
  beforeEach(async () => {
    kms = await startKms('key-1', 'key-2')
    client = await openKms({ region: REGION, endpoint: kms.endpoint, credentials: CREDENTIALS })
  })
  afterEach(async () => {
    client.destroy()
    await kms.stop()
  })

  const cipher = (keyId = 'key-1', more: { older?: Cipher } = {}) =>
    createKmsCipher({ connect: async () => client, keyId, entropy, clock, ...more })

  it('asks for one data key, however many texts are sealed at once', async () => {
    const one = cipher()
    await Promise.all(Array.from({ length: 100 }, () => one.seal('a secret', 'here')))
    expect(kms.calls).toEqual(['GenerateDataKey'])
  })

  it('asks for another after five minutes, and after ten thousand texts', async () => {
    const one = cipher()
    await one.seal('a secret', 'here')
    clock.advance(MINUTES_5 - 1)
    await one.seal('a secret', 'here')
    expect(kms.calls).toHaveLength(1)
    clock.advance(1)
    for (let sealed = 0; sealed < 10_000; sealed++) await one.seal('a secret', 'here')
    expect(kms.calls).toHaveLength(2)
    await one.seal('a secret', 'here')
    expect(kms.calls).toHaveLength(3)
  })

  it('unwraps a data key once for many texts, and again after five minutes', async () => {
    const sealed = await cipher().seal('a secret', 'here')
    const other = cipher()
    await Promise.all(Array.from({ length: 50 }, () => other.open(sealed, 'here')))
    expect(kms.calls).toEqual(['GenerateDataKey', 'Decrypt'])
    clock.advance(MINUTES_5)
    await other.open(sealed, 'here')
    expect(kms.calls).toEqual(['GenerateDataKey', 'Decrypt', 'Decrypt'])
  })

  it('keeps a hundred unwrapped data keys at most', async () => {
    const sealed: string[] = []
    for (let made = 0; made < 102; made++) sealed.push(await cipher().seal('a secret', 'here'))
    const other = cipher()
    for (const text of sealed) await other.open(text, 'here')
    const before = kms.calls.length
    for (const text of sealed.slice(2)) await other.open(text, 'here')
    expect(kms.calls).toHaveLength(before)
    await other.open(sealed[0] ?? '', 'here')
    expect(kms.calls).toHaveLength(before + 1)
  })

  it('reads what older keys sealed, for as long as KMS has them', async () => {
    const sealed = await cipher('key-1').seal('a secret', 'here')
    expect(await cipher('key-2').open(sealed, 'here')).toBe('a secret')
    kms.forget('key-1')
    await expect(cipher('key-2').open(sealed, 'here')).rejects.toMatchObject(UNREADABLE)
  })

  it('reads what was sealed before there was a KMS key', async () => {
    const key = randomBytes(32)
    const older = createCipher({ keys: () => [key], entropy })
    const sealed = await older.seal('a secret', 'here')
    expect(await cipher('key-1', { older }).open(sealed, 'here')).toBe('a secret')
    await expect(cipher('key-1').open(sealed, 'here')).rejects.toMatchObject(UNREADABLE)
  })

  it.each([
    ['is throttled', 400, 'ThrottlingException'],
    ['is denied', 400, 'AccessDeniedException'],
    ['fails', 500, 'KMSInternalException'],
    ['has no such key', 400, 'NotFoundException'],
  ])('is unavailable when KMS %s, and tries again later', async (_what, status, name) => {
    const one = cipher()
    kms.breakWith({ status, body: { __type: name, message: 'arn:aws:kms:CANARY' } })
    const thrown = await one.seal('a secret', 'here').catch((error) => error)
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'keys_unavailable' })
    expect(thrown.message).not.toContain('CANARY')
    kms.breakWith()
    expect(await one.open(await one.seal('a secret', 'here'), 'here')).toBe('a secret')
  })

  it('tells a text that cannot be read now from one that never can', async () => {
    const sealed = await cipher().seal('a secret', 'here')
    const other = cipher()
    kms.breakWith({ status: 400, body: { __type: 'AccessDeniedException' } })
    await expect(other.open(sealed, 'here')).rejects.toMatchObject({ code: 'keys_unavailable' })
    kms.breakWith()
    expect(await other.open(sealed, 'here')).toBe('a secret')
  })
})
