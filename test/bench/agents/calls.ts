import { Agent, type IncomingMessage, request } from 'node:http'
import { median, quantile } from '../quantile.ts'
import { machineMs } from '../starts.ts'
import type { CallOrder, Measured, Side } from './order.ts'

type Given = CallOrder & { origin: string; key: string; side: Side }

const WARM_UP_CALLS = 100
const MEGABYTE = 1_000_000
const SENT = /"sent":([\d.]+)/g

const agent = new Agent({ keepAlive: true })

const post = ({ origin, key }: Pick<Given, 'origin' | 'key'>, path: string, body: object) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const text = JSON.stringify({ model: 'bench', ...body })
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-api-key': key,
    }
    request(`${origin}${path}`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`POST ${path} answered ${response.statusCode}`))
    })
      .on('error', reject)
      .end(text)
  })

const read = (response: IncomingMessage, onBytes: (bytes: Buffer) => void) =>
  new Promise<void>((resolve, reject) => {
    response.on('data', onBytes).once('end', resolve).once('error', reject)
  })

/** Calls a model by the provider's address and key of this side, each time when the other side has done the same. */
export const measureCalls = async (given: Given): Promise<Measured> => {
  /** Gives the turn to the other side, and waits until it is this side's again. */
  const takeTurns = async (left: boolean) => {
    const response = await post(given, '/v1/messages/count_tokens', { side: given.side, left })
    await read(response, () => undefined)
  }
  const inTurn = async <T>(times: number, work: () => Promise<T>): Promise<T[]> => {
    const results: T[] = []
    for (let done = 0; done < times; done += 1) {
      await takeTurns(false)
      results.push(await work())
    }
    return results
  }

  const firstByte = async (): Promise<number> => {
    const fromMs = machineMs()
    const response = await post(given, '/v1/messages', { kind: 'short' })
    let firstMs: number | undefined
    await read(response, () => {
      firstMs ??= machineMs()
    })
    return (firstMs ?? Number.NaN) - fromMs
  }

  const lags = async (): Promise<number[]> => {
    const found: number[] = []
    const response = await post(given, '/v1/messages', { kind: 'stream' })
    await read(response, (bytes) => {
      const nowMs = machineMs()
      for (const [, sent] of bytes.toString('latin1').matchAll(SENT)) found.push(nowMs - Number(sent))
    })
    return found
  }

  const large = (kind: 'json' | 'events') => async (): Promise<number> => {
    const { megabytes = 0 } = given
    const fromMs = machineMs()
    let bytes = 0
    const response = await post(given, '/v1/messages', { kind, megabytes })
    await read(response, ({ length }) => {
      bytes += length
    })
    if (bytes < megabytes * MEGABYTE) throw new Error(`${bytes} bytes came of ${megabytes} MB`)
    return bytes / MEGABYTE / ((machineMs() - fromMs) / 1_000)
  }

  const measures: Readonly<Record<CallOrder['kind'], () => Promise<number[]>>> = {
    short: async () => {
      await inTurn(WARM_UP_CALLS, firstByte)
      return inTurn(given.times, firstByte)
    },
    stream: async () => (await inTurn(given.times, lags)).flat(),
    json: () => inTurn(given.times, large('json')),
    events: () => inTurn(given.times, large('events')),
  }
  const values = await measures[given.kind]()
  await takeTurns(true)
  return { p50: median(values), p99: quantile(values, 0.99) }
}
