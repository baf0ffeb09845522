import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { encryptedPush, makePushKeys, pushChance, vapidAuthorization } from '../../lib/alerts/web-push.ts'
import { decryptedPush } from './push-receiver.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

/** RFC 8291, appendix A. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  sender: {
    privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    publicKey: bytes(
      'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    ),
  },
  receiver: {
    privateKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
    p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  },
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

describe('the encryption of push messages', () => {
  it('makes the message of RFC 8291, which its receiver can read', () => {
    const message = encryptedPush(RFC.text, RFC.receiver, RFC)
    expect(message.toString('base64url')).toBe(RFC.message)
    expect(decryptedPush(message, RFC.receiver)).toBe(RFC.text)
  })

  it('takes texts up to the record that push services accept, and other keys for each message', () => {
    const longest = 'x'.repeat(4_096 - 17)
    const [one, other] = [1, 2].map(() => encryptedPush(longest, RFC.receiver, pushChance(entropy)))
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(false)
    expect(decryptedPush(one ?? Buffer.alloc(0), RFC.receiver)).toBe(longest)
    expect(() => encryptedPush(`${longest}x`, RFC.receiver, pushChance(entropy))).toThrow(RangeError)
  })

  it.each([
    ['no point of the curve', Buffer.alloc(65, 4)],
    ['too short', Buffer.alloc(4, 4)],
  ])('refuses a key that is %s', (_what, p256dh) => {
    expect(() => encryptedPush('x', { ...RFC.receiver, p256dh }, RFC)).toThrow()
  })

  it('draws a key again that is no scalar of the group', () => {
    const drawn = [Buffer.alloc(32), Buffer.alloc(32, 0xff), RFC.sender.privateKey]
    expect(makePushKeys(() => drawn.shift() ?? Buffer.alloc(0))).toEqual(RFC.sender)
  })
})

describe('the identification to a push service', () => {
  it('is a token for its origin, signed by the key that it names (RFC 8292)', () => {
    const endpoint = 'https://push.example.net:8443/p/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV'
    const claims = { endpoint, subject: 'mailto:push@example.com', expiresAtMs: 1_453_523_768_500 }
    const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(vapidAuthorization(RFC.sender, claims)) ?? []
    const [head = '', body = '', signature = ''] = token.split('.')
    expect(key).toBe(RFC.sender.publicKey.toString('base64url'))
    expect(JSON.parse(String(bytes(head)))).toEqual({ typ: 'JWT', alg: 'ES256' })
    expect(JSON.parse(String(bytes(body)))).toEqual({
      aud: 'https://push.example.net:8443',
      exp: 1_453_523_768,
      sub: 'mailto:push@example.com',
    })
    const [x, y] = [[1, 33] as const, [33, 65] as const].map(([from, to]) =>
      RFC.sender.publicKey.subarray(from, to).toString('base64url'),
    )
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' } as never)
    const signed = Buffer.from(`${head}.${body}`)
    expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(
      true,
    )
  })
})
