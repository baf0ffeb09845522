import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'

type Receiver = { privateKey: Buffer; p256dh: Buffer; auth: Buffer }

/** What a browser reads of a message: RFC 8291 from the receiver's side. Throws for one that was changed. */
export const decryptedPush = (message: Buffer, { privateKey, p256dh, auth }: Receiver): string => {
  const salt = message.subarray(0, 16)
  const sender = message.subarray(21, 21 + message.readUInt8(20))
  const own = createECDH('prime256v1')
  own.setPrivateKey(privateKey)
  const derive = (key: Buffer, with_: Buffer, info: Buffer, size: number) =>
    Buffer.from(hkdfSync('sha256', key, with_, info, size))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender])
  const secret = derive(own.computeSecret(sender), auth, info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const sealed = message.subarray(21 + sender.length)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return String(plain.subarray(0, plain.lastIndexOf(2)))
}

/** A push service on loopback with one browser. `messages` has what the browser reads; `status` is its next answer. */
export const startPushService = async () => {
  const own = createECDH('prime256v1')
  own.generateKeys()
  const receiver = { privateKey: own.getPrivateKey(), p256dh: own.getPublicKey(), auth: Buffer.alloc(16, 7) }
  const messages: Record<string, unknown>[] = []
  const heads: Record<string, unknown>[] = []
  const state = { status: 201 }
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    heads.push({ ...request.headers, url: request.url })
    if (state.status < 300) messages.push(JSON.parse(decryptedPush(body, receiver)))
    response.writeHead(state.status).end()
  })
  const { url, stop } = await onLoopback(server)
  const keys = { p256dh: receiver.p256dh.toString('base64url'), auth: receiver.auth.toString('base64url') }
  return Object.assign(state, {
    messages,
    heads,
    subscription: (path = 'browser') => ({
      endpoint: `${url}/${path}`,
      keys,
      device: 'Firefox on Linux',
      topics: ['approvals', 'results'],
    }),
    [Symbol.asyncDispose]: stop,
  })
}
