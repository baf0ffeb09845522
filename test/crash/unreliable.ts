import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** How a call of AWS fails: refused for its rate, an error there, broken off before it arrived or after it took effect. */
const FATES = ['throttled', 'broken', 'unsent', 'unanswered'] as const
type Fate = (typeof FATES)[number]

const ANSWERS = {
  throttled: { status: 400, name: 'ThrottlingException' },
  broken: { status: 500, name: 'InternalServerError' },
} as const

const refuse = (response: ServerResponse, { status, name }: (typeof ANSWERS)[keyof typeof ANSWERS]) => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': name })
  response.end(JSON.stringify({ __type: name, message: 'It was the test' }))
}

type Faults = { share: () => number; random: () => number }

/** Stands between clients and an emulator of AWS, and lets a share of all calls fail. */
export const startUnreliable = async (endpoint: string, { share, random }: Faults) => {
  const told = { calls: 0, failed: 0 }
  const nextFate = (): Fate | undefined => {
    told.calls += 1
    if (random() >= share()) return undefined
    told.failed += 1
    return FATES[Math.floor(random() * FATES.length)]
  }
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    const fate = nextFate()
    if (fate === 'throttled' || fate === 'broken') return refuse(response, ANSWERS[fate])
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
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, told, stop }
}
