import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { quantile } from '../quantile.ts'
import { machineMs } from '../starts.ts'

/**
 * All endpoints, in a process of their own: `/hang/…` never answers, any other does at once. `GET /heard` tells what came to
 * the others since it was last asked, as a `Heard`, and `GET /count` how many came so far.
 */
export type Heard = { ids: number; sends: number; lagP50Ms: number; lagP99Ms: number; lastMs: number }

let ids = new Set<string>()
let lags: number[] = []
let lastMs = 0

const take = (): Heard => {
  const heard = {
    ids: ids.size,
    sends: lags.length,
    lastMs,
    lagP50Ms: quantile(lags, 0.5),
    lagP99Ms: quantile(lags, 0.99),
  }
  ids = new Set()
  lags = []
  return heard
}

const server = createServer(async (request, response) => {
  const { url = '' } = request
  if (url === '/heard') return void response.end(JSON.stringify(take()))
  if (url === '/count') return void response.end(String(ids.size))
  const atMs = Date.now()
  const { id, timestamp } = (await json(request)) as { id: string; timestamp: string }
  if (url.startsWith('/hang')) return
  lastMs = machineMs()
  ids.add(id)
  lags.push(atMs - Date.parse(timestamp))
  response.end('ok')
})
// One that hangs hangs until the sender has had enough.
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
