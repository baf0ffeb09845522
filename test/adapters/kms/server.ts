import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onLoopback } from '../../../offline/loopback.ts'

type Body = {
  KeyId?: string
  KeySpec?: string
  CiphertextBlob?: string
  EncryptionContext?: Record<string, string>
}
type Answer = { status: number; body: object }

/** As AWS documents its JSON 1.1 protocol: the name of an error is in `__type`. */
const error = (name: string): Answer => ({
  status: 400,
  body: { __type: name, message: `${name} of the test` },
})

/**
 * A KMS on loopback that speaks the real wire protocol and wraps data keys with AES-256-GCM under keys that never leave
 * it, bound to the encryption context. `calls` are the operations it was asked for.
 */
export const startKms = async (...keyIds: string[]) => {
  const keys = new Map(keyIds.map((id) => [id, randomBytes(32)]))
  const calls: string[] = []
  let broken: Answer | undefined

  const generate = ({ KeyId = '', KeySpec, EncryptionContext }: Body): Answer => {
    const key = keys.get(KeyId)
    if (key === undefined) return error('NotFoundException')
    if (KeySpec !== 'AES_256') return error('ValidationException')
    const dataKey = randomBytes(32)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(encodedContext(KeyId, EncryptionContext))
    const wrapped = Buffer.concat([cipher.update(dataKey), cipher.final()])
    const blob = Buffer.concat([Buffer.from(`${KeyId}\0`), nonce, cipher.getAuthTag(), wrapped])
    const CiphertextBlob = blob.toString('base64')
    return { status: 200, body: { CiphertextBlob, Plaintext: dataKey.toString('base64'), KeyId } }
  }

  const decrypt = ({ CiphertextBlob = '', EncryptionContext }: Body): Answer => {
    const blob = Buffer.from(CiphertextBlob, 'base64')
    const end = blob.indexOf(0)
    const KeyId = blob.subarray(0, Math.max(0, end)).toString()
    const key = keys.get(KeyId)
    const [nonce, tag, wrapped] = [
      blob.subarray(end + 1, end + 13),
      blob.subarray(end + 13, end + 29),
      blob.subarray(end + 29),
    ]
    try {
      if (key === undefined) return error('InvalidCiphertextException')
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(
        encodedContext(KeyId, EncryptionContext),
      )
      const Plaintext = Buffer.concat([decipher.setAuthTag(tag).update(wrapped), decipher.final()])
      return { status: 200, body: { Plaintext: Plaintext.toString('base64'), KeyId } }
    } catch {
      return error('InvalidCiphertextException')
    }
  }

  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const operation = String(request.headers['x-amz-target']).replace(/^TrentService\./, '')
    calls.push(operation)
    if (broken) return broken
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))
      return error('MissingAuthenticationTokenException')
    if (request.headers['content-type'] !== 'application/x-amz-json-1.1')
      return error('SerializationException')
    const body: Body = JSON.parse(await requestText(request))
    if (operation === 'GenerateDataKey') return generate(body)
    return operation === 'Decrypt' ? decrypt(body) : error('UnknownOperationException')
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = await answerTo(request)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
  })
  const { url, stop } = await onLoopback(server)
  return {
    endpoint: url,
    calls,
    /** From now on every call is answered so; undefined ends it. */
    breakWith: (answer?: Answer) => {
      broken = answer
    },
    /** Makes a key be as if it had never been. */
    forget: (keyId: string) => keys.delete(keyId),
    stop,
  }
}
export type Kms = Awaited<ReturnType<typeof startKms>>

const encodedContext = (keyId: string, context: Record<string, string> = {}) =>
  Buffer.from(JSON.stringify([keyId, Object.entries(context).sort()]))

const requestText = async (request: IncomingMessage) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}
