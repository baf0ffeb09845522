import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { createDrain } from '../../lib/http/drain.ts'
import { answerTo } from '../http/answer.ts'

/** Longer than the time from one look at the connections to the next. */
const BUSY_MS = 60

const keepBusy = () => {
  const until = performance.now() + BUSY_MS
  while (performance.now() < until);
}

describe('a server that ends', () => {
  it('answers a request that lies unread on a new connection while the process is busy', async () => {
    const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const drain = createDrain(server)
    const drained = once(server, 'connection').then(() => {
      const ended = drain()
      keepBusy()
      return ended
    })
    const { port } = server.address() as AddressInfo
    const sent = request({ host: '127.0.0.1', port, agent: false })
    sent.end()
    expect((await answerTo(sent)).status).toBe(200)
    await drained
  })
})
