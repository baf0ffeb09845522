import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * The least that could stand between a provider, whose port is the only argument, and a reader, in a process of its own: it
 * turns each chunk into an event and does nothing else. What it cannot do on a machine, no service can.
 */
const [provider] = process.argv.slice(2)

const chatEvent = (line: string): string => {
  const { choices } = JSON.parse(line.slice('data: '.length))
  const text = choices[0]?.delta.content
  const event = { type: 'content', data: { step: 1, text }, timestamp: Date.now() }
  return text === undefined ? '' : `data: ${JSON.stringify(event)}\n\n`
}

const server = createServer(async (request, response) => {
  const body = await buffer(request)
  if (request.url?.endsWith('/conversations')) return void response.end('{"conversation":{"id":"1"}}')
  const answer = await fetch(`http://127.0.0.1:${provider}/v1/chat/completions`, { method: 'POST', body })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let rest = ''
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + piece).split('\n\n')
    rest = lines.pop() ?? ''
    const events = lines.filter((line) => line.startsWith('data: {')).map(chatEvent)
    response.write(events.join(''))
  }
  response.end('data: {"type":"message_saved"}\n\n')
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
