import { existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { agent, ndJsonStream } from '@agentclientprotocol/sdk'
import { machineMs } from '../starts.ts'
import { measureCalls } from './calls.ts'
import type { CallOrder, Order } from './order.ts'

/** A scripted agent over real ACP. Its prompt ends with an `Order`; its first update has the moments of its start. */
const startedMs = machineMs() - process.uptime() * 1_000
let initializedMs = 0

const LOOK_MS = 20

const untilThere = async (file: string) => {
  while (!existsSync(file)) await sleep(LOOK_MS)
}

const callModels = (order: CallOrder) => {
  const { ANTHROPIC_BASE_URL: origin = '', ANTHROPIC_API_KEY: key = '' } = process.env
  return measureCalls({ ...order, origin, key, side: 'broker' })
}

process.stdin.once('end', () => process.exit(0))

agent({ name: 'bench' })
  .onRequest('initialize', () => {
    initializedMs = machineMs()
    return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'bench', version: '1' } }
  })
  .onRequest('session/new', () => ({ sessionId: 'session' }))
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const promptedMs = machineMs()
    const [block] = prompt
    const asked = block?.type === 'text' ? block.text : ''
    const { file, updates = 0, everyMs = 0, calls }: Order = JSON.parse(asked.slice(asked.indexOf('{')))
    const say = (text: string) =>
      client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      })
    await say(`moments ${[startedMs, initializedMs, promptedMs, machineMs()].join(' ')};`)
    if (file) await untilThere(file)
    // Agents that were told to begin at the same moment do not go on in step.
    const fromMs = machineMs() + Math.random() * everyMs
    for (let sent = 0; sent < updates; sent += 1) {
      await sleep(Math.max(0, fromMs + sent * everyMs - machineMs()))
      await say(`sent ${machineMs()};`)
    }
    if (calls) await say(`measured ${JSON.stringify(await callModels(calls))};`)
    return { stopReason: 'end_turn' as const }
  })
  .connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  )
