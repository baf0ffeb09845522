import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '../../../offline/loopback.ts'

/** How a call of AWS fails: refused for its rate, an error there, broken off before it arrived or after it took effect. */
export const FATES = ['throttled', 'broken', 'unsent', 'unanswered'] as const
export type Fate = (typeof FATES)[number]

/** Hears of a call before it is passed on, and says how it fails, if it does. */
export type Hear = (incoming: IncomingMessage, body: Buffer) => Fate | undefined

const ANSWERS = {
  throttled: { status: 400, name: 'ThrottlingException' },
  broken: { status: 500, name: 'InternalServerError' },
} as const

/** S3, which names no target, says both in XML. */
const BUSY = '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>It was the test</Message></Error>'

const refuse = (
  response: ServerResponse,
  { status, name }: (typeof ANSWERS)[keyof typeof ANSWERS],
  isS3: boolean,
) => {
  if (isS3) return void response.writeHead(503, { 'content-type': 'application/xml' }).end(BUSY)
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': name })
  response.end(JSON.stringify({ __type: name, message: 'It was the test' }))
}

/** Stands between clients and an emulator of AWS. */
export const startProxy = async (endpoint: string, hear: Hear) => {
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    const fate = hear(incoming, body)
    if (fate === 'throttled' || fate === 'broken')
      return refuse(response, ANSWERS[fate], incoming.headers['x-amz-target'] === undefined)
    if (fate === 'unsent') return void response.destroy()
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = request(new URL(url, endpoint), { method, headers }, (answer) => {
      if (fate === 'unanswered') {
        answer.resume()
        return void response.destroy()
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    forwarded.end(body)
  })
  const { url, stop } = await onLoopback(server)
  return { url, stop }
}
