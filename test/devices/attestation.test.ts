import { createPublicKey, verify as verifyByNode } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { canonicalJson } from '../../lib/core/canonical-json.ts'
import { createAttest, createVerify, signedBytes } from '../../lib/devices/attestation.ts'
import { derivePublicKey, sign } from '../../lib/devices/ed25519.ts'
import { toDeviceIdentity } from '../../lib/devices/identity.ts'
import type { Attestation } from '../../lib/devices/schema.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { brokenSignatures, fitsAll, hex, rfc8032, smallOrderKeys } from './vectors.ts'

const HOUR = 3_600_000
const secret = hex(rfc8032[2].secret)

/** A device of a test, and the service that it is shown to. */
const start = () => {
  const clock = createFakeClock()
  const identity = {
    read: async () => toDeviceIdentity(await derivePublicKey(secret)),
    sign: (message: Uint8Array) => sign(message, secret),
  }
  return {
    clock,
    attest: createAttest({ identity, entropy, clock }),
    verify: createVerify({ clock }),
  }
}

type Inner = Attestation['attestation']
/** The attestation with parts of its inside exchanged. */
const altered = (whole: Attestation, inner: Partial<Inner>): Attestation => ({
  ...whole,
  attestation: { ...whole.attestation, ...inner },
})

/** An attestation that anybody can make: their own key, their own claims, their own signature. */
const signedOver = async (claims: Omit<Inner, 'signature'>, deviceId?: string): Promise<Attestation> => {
  const own = toDeviceIdentity(await derivePublicKey(secret))
  const message = signedBytes({ deviceId: deviceId ?? own.deviceId, ...claims })
  const signature = (await sign(message, secret)).toString('base64')
  return {
    deviceId: deviceId ?? own.deviceId,
    publicKey: own.publicKey,
    attestation: { ...claims, signature },
  }
}

describe('an attestation', () => {
  it('is valid until it is older than asked', async () => {
    const { attest, verify, clock } = start()
    const made = await attest({ host: 'build-7', load: 0.5 })
    expect(await verify(made, HOUR)).toEqual({ valid: true, deviceId: made.deviceId, ageMs: 0 })
    clock.advance(HOUR)
    expect(await verify(made, HOUR)).toEqual({ valid: true, deviceId: made.deviceId, ageMs: HOUR })
    clock.advance(1)
    expect(await verify(made, HOUR)).toEqual({
      valid: false,
      deviceId: made.deviceId,
      ageMs: HOUR + 1,
      error: 'too_old',
    })
  })

  it('is the same after any way through JSON, its members in any order', async () => {
    const { attest, verify } = start()
    const made = await attest({ b: [1, { z: null, a: '\u20ac' }], a: { y: 1e21, x: -0 } })
    const { attestation, publicKey, deviceId } = JSON.parse(JSON.stringify(made))
    const { signature, data, nonce, timestamp } = attestation
    const again = { attestation: { signature, nonce, data, timestamp }, publicKey, deviceId }
    expect(await verify(again, HOUR)).toMatchObject({ valid: true })
  })

  it('is checked, as docs/guide/devices.md says, without this code', async () => {
    const { attest } = start()
    const { deviceId, publicKey, attestation } = await attest({ a: 1 })
    const { timestamp, nonce, data, signature } = attestation
    const message = `svc-attestation-v1\0${canonicalJson({ deviceId, timestamp, nonce, data })}`
    const der = Buffer.concat([hex('302a300506032b6570032100'), Buffer.from(publicKey, 'base64')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(verifyByNode(null, Buffer.from(message), key, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('never signs the bytes of a caller as they are', async () => {
    const { attest } = start()
    const { publicKey, attestation } = await attest({ a: 1 })
    const der = Buffer.concat([hex('302a300506032b6570032100'), Buffer.from(publicKey, 'base64')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const { signature, ...claims } = attestation
    const callers = ['', '{"a":1}', canonicalJson(claims.data), canonicalJson(claims), JSON.stringify(claims)]
    for (const text of callers)
      expect(verifyByNode(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(false)
    const { nonce, timestamp, data } = claims
    expect(String(signedBytes({ deviceId: 'dev_1', timestamp, nonce, data }))).toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the zero byte ends the domain.
      /^svc-attestation-v1\u0000\{"data":/,
    )
  })

  it('has a nonce of its own each time', async () => {
    const { attest } = start()
    const made = await Promise.all(Array.from({ length: 50 }, () => attest({})))
    expect(new Set(made.map(({ attestation }) => attestation.nonce)).size).toBe(50)
  })

  it.each<[string, Partial<Inner>]>([
    ['data', { data: { a: 2 } }],
    ['more data', { data: { a: 1, b: 1 } }],
    ['a later time', { timestamp: '2026-01-01T12:00:00.001Z' }],
    ['another nonce', { nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('is not valid with %s that was not signed', async (_name, inner) => {
    const { attest, verify } = start()
    const made = await attest({ a: 1 })
    expect(await verify(altered(made, inner), HOUR)).toEqual({ valid: false, error: 'bad_signature' })
  })

  it('is not valid under the name of another device, or with its key', async () => {
    const { attest, verify } = start()
    const made = await attest({ a: 1 })
    const other = toDeviceIdentity(hex(rfc8032[0].publicKey))
    const named = { ...made, deviceId: other.deviceId }
    expect(await verify(named, HOUR)).toEqual({ valid: false, error: 'device_id_mismatch' })
    expect(await verify({ ...made, publicKey: other.publicKey }, HOUR)).toMatchObject({
      error: 'device_id_mismatch',
    })
    const replaced = { ...made, deviceId: other.deviceId, publicKey: other.publicKey }
    expect(await verify(replaced, HOUR)).toEqual({ valid: false, error: 'bad_signature' })
  })

  it('is not valid where the signer itself named another device', async () => {
    const { verify } = start()
    const claims = { timestamp: '2026-01-01T12:00:00.000Z', nonce: 'n'.repeat(22), data: {} }
    const made = await signedOver(claims, toDeviceIdentity(hex(rfc8032[0].publicKey)).deviceId)
    expect(await verify(made, HOUR)).toEqual({ valid: false, error: 'device_id_mismatch' })
  })

  it('may come from a clock that is half a minute ahead, and no more', async () => {
    const { verify } = start()
    const at = (timestamp: string) => signedOver({ timestamp, nonce: 'n'.repeat(22), data: {} })
    expect(await verify(await at('2026-01-01T12:00:30.000Z'), HOUR)).toMatchObject({ valid: true, ageMs: 0 })
    expect(await verify(await at('2026-01-01T12:00:30.001Z'), HOUR)).toMatchObject({
      valid: false,
      error: 'from_the_future',
    })
  })

  it('is refused with every signature that is wrong in one way', async () => {
    const { attest, verify } = start()
    const made = await attest({ a: 1 })
    const good = Buffer.from(made.attestation.signature, 'base64')
    for (const [name, broken] of brokenSignatures(good)) {
      const verdict = await verify(altered(made, { signature: broken.toString('base64') }), HOUR)
      expect([name, verdict]).toEqual([name, { valid: false, error: 'bad_signature' }])
    }
  })

  it.each(smallOrderKeys)('is refused of the key of small order %s', async (key) => {
    const { verify } = start()
    const { deviceId, publicKey } = toDeviceIdentity(hex(key))
    const claims = { timestamp: '2026-01-01T12:00:00.000Z', nonce: 'n'.repeat(22), data: {} }
    const made = { deviceId, publicKey, attestation: { ...claims, signature: fitsAll.toString('base64') } }
    expect(await verify(made, HOUR)).toEqual({ valid: false, error: 'bad_signature' })
  })
})

describe('what is no attestation', () => {
  const attest = async () => start().attest({ a: 1 })

  it.each<[string, (made: Attestation) => unknown]>([
    ['nothing', () => ({})],
    ['a list', () => []],
    ['null', () => null],
    ['a field too many', (made) => ({ ...made, admin: true })],
    ['a field too many inside', (made) => altered(made, { extra: 1 } as never)],
    ['no nonce', (made) => altered(made, { nonce: undefined as never })],
    ['a short nonce', (made) => altered(made, { nonce: 'short' })],
    ['a key in base64url', (made) => ({ ...made, publicKey: made.publicKey.replace(/=$/, '') })],
    ['a key with white space', (made) => ({ ...made, publicKey: `${made.publicKey} ` })],
    ['a key of 31 bytes', (made) => ({ ...made, publicKey: Buffer.alloc(31).toString('base64') })],
    ['a key of 33 bytes', (made) => ({ ...made, publicKey: Buffer.alloc(33).toString('base64') })],
    ['a signature of 63 bytes', (made) => altered(made, { signature: Buffer.alloc(63).toString('base64') })],
    ['a signature of 65 bytes', (made) => altered(made, { signature: Buffer.alloc(65).toString('base64') })],
    ['a signature in hexadecimal', (made) => altered(made, { signature: '0'.repeat(100) })],
    [
      'the same signature in another base64',
      (made) => altered(made, { signature: `${made.attestation.signature.slice(0, -2)}\n==` }),
    ],
    ['a time without milliseconds', (made) => altered(made, { timestamp: '2026-01-01T12:00:00Z' })],
    ['a time with an offset', (made) => altered(made, { timestamp: '2026-01-01T12:00:00.000+00:00' })],
    ['a day that is not there', (made) => altered(made, { timestamp: '2026-02-30T12:00:00.000Z' })],
    ['data that is a list', (made) => altered(made, { data: [] as never })],
    ['data without end', (made) => altered(made, { data: { a: Number.POSITIVE_INFINITY } })],
    ['data with half a character', (made) => altered(made, { data: { '\ud800': 1 } })],
  ])('is %s', async (_name, change) => {
    const { verify } = start()
    expect(await verify(change(await attest()), HOUR)).toEqual({ valid: false, error: 'malformed' })
  })

  it('is told as such, and never as a failure, whatever is sent', async () => {
    const { verify } = start()
    const made = await attest()
    const some = (part: unknown) => fc.oneof(fc.constant(part), fc.jsonValue(), fc.anything())
    const like = fc.record(
      {
        deviceId: some(made.deviceId),
        publicKey: fc.oneof(some(made.publicKey), fc.base64String({ maxLength: 60 })),
        attestation: fc.record(
          {
            timestamp: some(made.attestation.timestamp),
            nonce: some(made.attestation.nonce),
            data: some({ a: 2 }),
            signature: fc.oneof(some(made.attestation.signature), fc.base64String({ maxLength: 100 })),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(like, fc.anything()), async (sent) => {
        expect(await verify(sent, HOUR)).toMatchObject({ valid: false })
      }),
      { numRuns: 2_000 },
    )
  })
})
