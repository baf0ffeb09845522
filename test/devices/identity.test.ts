import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createOwnIdentity } from '../../lib/devices/identity.ts'
import { identityRows } from '../../lib/devices/rows.ts'
import type { Cipher } from '../../lib/ports/cipher.ts'
import { atOnce, cipher, type Opened, outcomeCode, storages } from './opened.ts'

describe.each(storages)('the identity of an installation on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  /** The identity as one more process knows it. */
  const process = (own: Cipher = cipher) =>
    createOwnIdentity({ store: opened.again(), cipher: own, entropy, clock: opened.clock })

  it('is one, of however many processes first ask for it at the same time', async () => {
    const processes = Array.from({ length: 8 }, () => process())
    const read = await Promise.all(processes.map((one) => one.read()))
    expect(new Set(read.map(({ deviceId }) => deviceId)).size).toBe(1)
    const signed = await Promise.all(processes.map((one) => one.sign(Buffer.from('the same'))))
    expect(new Set(signed.map(String)).size).toBe(1)
    expect(await process().read()).toEqual(read[0])
  })

  it('is named by its public key', async () => {
    const { deviceId, publicKey, fingerprint } = await process().read()
    const digest = createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')
    expect(Buffer.from(publicKey, 'base64')).toHaveLength(32)
    expect(fingerprint).toBe(`sha256:${digest}`)
    expect(deviceId).toBe(`dev_${digest.slice(0, 32)}`)
  })

  it('keeps its secret sealed', async () => {
    const row = await opened.store.get(identityRows, 'service')
    const secret = await cipher.open(row?.sealedSecret ?? '', 'devices/identity')
    expect(Buffer.from(secret, 'base64')).toHaveLength(32)
    expect(JSON.stringify(row)).not.toContain(secret)
  })

  it('says who it is without the key that sealed its secret, but signs nothing', async () => {
    const otherKey = entropy(32)
    const one = process(createCipher({ keys: () => [otherKey], entropy }))
    expect(await one.read()).toEqual(await process().read())
    expect(await outcomeCode(one.sign(Buffer.from('x')))).toBe('sealed_text_unreadable')
  })

  it('hashes a code alike in every process, and not so that trying all codes would find it', async () => {
    const hashes = await atOnce(3, () => process().codeHash('ABC123XYZ'))
    expect(new Set(hashes).size).toBe(1)
    expect(hashes[0]).not.toBe(createHash('sha256').update('ABC123XYZ').digest('hex'))
  })

  it('asks again after a failure', async () => {
    let isDown = true
    const failing: Cipher = {
      seal: cipher.seal,
      open: (sealed, context) => (isDown ? Promise.reject(new Error('down')) : cipher.open(sealed, context)),
    }
    const one = process(failing)
    await expect(one.sign(Buffer.from('x'))).rejects.toThrow('down')
    isDown = false
    expect(await one.sign(Buffer.from('x'))).toHaveLength(64)
  })
})
