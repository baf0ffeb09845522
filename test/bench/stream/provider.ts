import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineMs } from '../starts.ts'

/**
 * A provider that speaks the chat-completions wire, in a process of its own. The last line of the prompt says how many
 * chunks it streams and how many milliseconds lie between them: `stream 500 20`. Each chunk is the moment at which it was
 * written, on the clock that all processes of the machine share.
 */
const EVENT = 'data: '

const chunk = (delta: object, finish: string | null = null) =>
  `${EVENT}${JSON.stringify({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

const usage = `${EVENT}${JSON.stringify({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'bench',
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
})}\n\n`

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

const stream = async (response: ServerResponse, count: number, everyMs: number) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const from = machineMs()
  for (let number = 0; number < count && !response.destroyed; number += 1) {
    const waitMs = from + number * everyMs - machineMs()
    if (waitMs > 0) await sleep(waitMs)
    if (!response.write(chunk({ content: `${machineMs().toFixed(2)} ` }))) await drained(response)
  }
  response.end(`${chunk({}, 'stop')}${usage}${EVENT}[DONE]\n\n`)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'bench' }] }))
  let body = ''
  request.setEncoding('utf8').on('data', (text) => {
    body += text
  })
  request.on('end', () => {
    // Earlier messages of the conversation have the same line.
    const [, count = '1', everyMs = '0'] = [...body.matchAll(/stream (\d+) (\d+)/g)].at(-1) ?? []
    stream(response, Number(count), Number(everyMs)).catch(() => response.destroy())
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
