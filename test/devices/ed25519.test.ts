import { createPrivateKey, sign as signByNode } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { derivePublicKey, isSignedBy, sign } from '../../lib/devices/ed25519.ts'
import { brokenSignatures, fitsAll, hex, P, rfc8032, smallOrderKeys, toBytes } from './vectors.ts'

describe('Ed25519', () => {
  it.each(rfc8032)('makes and takes what RFC 8032 shows: $name', async (vector) => {
    const message = hex(vector.message)
    expect((await derivePublicKey(hex(vector.secret))).toString('hex')).toBe(vector.publicKey)
    expect((await sign(message, hex(vector.secret))).toString('hex')).toBe(vector.signature)
    expect(await isSignedBy(hex(vector.signature), message, hex(vector.publicKey))).toBe(true)
  })

  it('takes what node:crypto signs, and signs the same', async () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.uint8Array({ maxLength: 300 }), async (secret, message) => {
        const der = Buffer.concat([hex('302e020100300506032b657004220420'), secret])
        const theirs = signByNode(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
        expect(await sign(message, secret)).toEqual(theirs)
        expect(await isSignedBy(theirs, message, await derivePublicKey(secret))).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  it.each(rfc8032)('refuses every broken signature of $name', async ({ message, signature, publicKey }) => {
    const taken: string[] = []
    for (const [name, broken] of brokenSignatures(hex(signature)))
      if (await isSignedBy(broken, hex(message), hex(publicKey))) taken.push(name)
    expect(taken).toEqual([])
  })

  it.each(smallOrderKeys)('refuses the key of small order %s, whatever was signed', async (publicKey) => {
    for (const message of ['', 'anything', 'anything else'])
      expect(await isSignedBy(fitsAll, Buffer.from(message), hex(publicKey))).toBe(false)
  })

  it.each([
    ['no point', toBytes(2n)],
    ['not reduced', toBytes(P + 3n)],
    ['all ones', Buffer.alloc(32, 0xff)],
    ['too short', Buffer.alloc(31, 1)],
    ['too long', Buffer.alloc(33, 1)],
    ['empty', Buffer.alloc(0)],
  ])('refuses a key that is %s', async (_name, publicKey) => {
    const [{ message, signature }] = rfc8032
    expect(await isSignedBy(hex(signature), hex(message), publicKey)).toBe(false)
  })

  it.each([0, 1, 32, 63, 65, 128])('refuses a signature of %i bytes', async (length) => {
    const [{ message, signature, publicKey }] = rfc8032
    const cut = Buffer.concat([hex(signature), Buffer.alloc(64)]).subarray(0, length)
    expect(await isSignedBy(cut, hex(message), hex(publicKey))).toBe(false)
  })
})
