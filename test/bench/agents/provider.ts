import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineMs } from '../starts.ts'
import { SIDES, type Side } from './order.ts'

/**
 * A provider that speaks the wire of Anthropic's Messages, in a process of its own that says its port in its first line. Its
 * call that counts tokens lets the two sides of the calls take turns.
 */
type Asked = {
  kind?: 'short' | 'stream' | 'json' | 'events'
  megabytes?: number
  side?: Side
  left?: boolean
}

const event = (data: { type: string; [more: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const START = event({
  type: 'message_start',
  message: { id: 'x', model: 'bench', usage: { input_tokens: 10, output_tokens: 1 } },
})
const END =
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } }) +
  event({ type: 'message_stop' })
const delta = (text: string, more: object = {}) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text }, ...more })

const EVENTS = 40
const EVENT_MS = 5
/** As models send them: a few words an event. */
const WORDS = 'and a few words more'
const PIECE_BYTES = 65_536

const stream = async (response: ServerResponse) => {
  response.write(START)
  for (let sent = 0; sent < EVENTS; sent += 1) {
    await sleep(EVENT_MS)
    response.write(delta(WORDS, { sent: machineMs() }))
  }
  response.end(END)
}

const large = async (response: ServerResponse, unit: string, megabytes: number) => {
  const piece = Buffer.from(unit.repeat(Math.ceil(PIECE_BYTES / unit.length)))
  for (let bytes = 0; bytes < megabytes * 1_000_000; bytes += piece.length)
    if (!response.write(piece)) await once(response, 'drain')
}

const answers: Readonly<
  Record<NonNullable<Asked['kind']>, (response: ServerResponse, asked: Asked) => unknown>
> = {
  short: (response) => response.end(START + delta(WORDS) + END),
  stream,
  json: async (response, { megabytes = 1 }) => {
    response.write('{"model":"bench","content":"')
    await large(response, WORDS, megabytes)
    response.end('","usage":{"input_tokens":10,"output_tokens":10}}')
  },
  events: async (response, { megabytes = 1 }) => {
    response.write(START)
    await large(response, delta(WORDS), megabytes)
    response.end(END)
  },
}

let turn: Side = SIDES[0]
const waiting = new Map<Side, () => void>()
/** A side that comes again has had its turn. */
const took = new Set<Side>()
/** One that has left is not waited for; when both have, others may come. */
const left = new Set<Side>()

const takeTurn = async (side: Side, leaves: boolean) => {
  if (leaves) left.add(side)
  const other = SIDES.find((one) => one !== side) ?? side
  if (took.has(side) || leaves) {
    took.delete(side)
    turn = other
    waiting.get(other)?.()
  }
  if (left.size === SIDES.length) left.clear()
  if (leaves) return
  if (turn !== side && !left.has(other)) await new Promise<void>((resolve) => waiting.set(side, resolve))
  took.add(side)
}

const server = createServer(async (request, response) => {
  const asked = (await json(request)) as Asked
  const { kind, side, left: leaves = false } = asked
  if (side) {
    await takeTurn(side, leaves)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}')
    return
  }
  const type = kind === 'json' ? 'application/json' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type })
  await answers[kind ?? 'short'](response, asked)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
