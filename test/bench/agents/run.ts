import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { machineMs } from '../starts.ts'
import { plainEnv } from '../system.ts'
import type { Order } from './order.ts'

export const agentFile = join(import.meta.dirname, 'agent.ts')

/** The moments of a run: of the agent, and those at which its first update and its end were seen by who asked for it. */
export type Run = {
  askedMs: number
  startedMs: number
  initializedMs: number
  promptedMs: number
  firstSentMs: number
  firstSeenMs: number
  /** The agent’s turn has ended, and its process. */
  endedMs: number
}

/** Takes the text of the updates of one run as it comes. */
type Listener = (text: string, seenMs: number) => void

/** Calls back for each update that says when it was sent. */
export const lagListener =
  (onLag: (sentMs: number, seenMs: number) => void): Listener =>
  (text, seenMs) => {
    for (const [, sent] of text.matchAll(/sent ([\d.]+);/g)) onLag(Number(sent), seenMs)
  }

const createMoments = () => {
  let text = ''
  let firstSeenMs = Number.NaN
  return {
    add: (piece: string, seenMs: number): void => {
      if (text === '') firstSeenMs = seenMs
      if (text.length < 1_000) text += piece
    },
    read: () => {
      const [, moments] = /moments ([\d. ]+);/.exec(text) ?? []
      if (moments === undefined) throw new Error(`The agent said first: ${text.slice(0, 300)}`)
      const [startedMs = 0, initializedMs = 0, promptedMs = 0, firstSentMs = 0] = moments
        .split(' ')
        .map(Number)
      return { startedMs, initializedMs, promptedMs, firstSentMs, firstSeenMs }
    },
  }
}

const nothing: Listener = () => undefined

/** Runs the agent with no service: a client of ACP over its standard input and output. */
export const runBare = async (order: Order, listen: Listener = nothing): Promise<Run> => {
  const moments = createMoments()
  const askedMs = machineMs()
  const child = spawn(process.execPath, [agentFile], { env: plainEnv(), stdio: ['pipe', 'pipe', 'inherit'] })
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  const { agent } = client({ name: 'bench' })
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate !== 'agent_message_chunk' || update.content.type !== 'text') return
      const seenMs = machineMs()
      moments.add(update.content.text, seenMs)
      listen(update.content.text, seenMs)
    })
    .connect(stream)
  await agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
  const { sessionId } = await agent.request('session/new', { cwd: import.meta.dirname, mcpServers: [] })
  const prompt = [{ type: 'text' as const, text: JSON.stringify(order) }]
  await agent.request('session/prompt', { sessionId, prompt })
  const ended = once(child, 'exit')
  child.stdin.end()
  await ended
  return { askedMs, ...moments.read(), endedMs: machineMs() }
}

const TEXT = /"type":"content","data":\{"step":\d+,"text":("(?:[^"\\]|\\.)*")/g
const LAST = /"type":"(?:complete|error)"/
const LOOK_MS = 5

const ask = (port: number, method: string, path: string, body?: object) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    request({ host: '127.0.0.1', port, method, path, headers }, resolve)
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })

const bodyText = async (response: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return text
}

/** The session of a task is there once its agent has said something. */
const openEvents = async (port: number, taskId: string, lookMs: number): Promise<IncomingMessage> => {
  for (;;) {
    const response = await ask(port, 'GET', `/api/chat/sessions/sess_${taskId.replace('task_', '')}/events`)
    if (response.statusCode === 200) return response
    const text = await bodyText(response)
    if (response.statusCode !== 404)
      throw new Error(`The stream of a session answered ${response.statusCode} ${text}`)
    await sleep(lookMs)
  }
}

type Options = { listen?: Listener; lookMs?: number }

/** Resolves when the task is seen to have ended. The stream of its session is kept open a little longer than that. */
const untilEnded = async (port: number, taskId: string): Promise<void> => {
  for (;;) {
    const { task } = JSON.parse(await bodyText(await ask(port, 'GET', `/api/tasks/${taskId}`)))
    if (task.status === 'completed') return
    if (task.status === 'failed') throw new Error(`A task failed: ${JSON.stringify(task.error)}`)
    await sleep(LOOK_MS)
  }
}

/** Runs the agent as a task of the service, followed by the stream of its session. */
export const runTask = async (
  port: number,
  order: Order,
  { listen = nothing, lookMs = LOOK_MS }: Options = {},
): Promise<Run> => {
  const moments = createMoments()
  const askedMs = machineMs()
  const body = { title: 'Bench', prompt: JSON.stringify(order), assignedAgent: 'bench-agent' }
  const { task } = JSON.parse(await bodyText(await ask(port, 'POST', '/api/tasks', body)))
  const events = await openEvents(port, task.id, lookMs)
  let rest = ''
  for await (const piece of events.setEncoding('utf8')) {
    const seenMs = machineMs()
    const whole = rest + piece
    const end = whole.lastIndexOf('\n\n') + 2
    rest = whole.slice(end)
    const texts = whole.slice(0, end)
    for (const [, json = ''] of texts.matchAll(TEXT)) {
      const text: string = JSON.parse(json)
      moments.add(text, seenMs)
      listen(text, seenMs)
    }
    if (LAST.test(texts)) break
  }
  await untilEnded(port, task.id)
  return { askedMs, ...moments.read(), endedMs: machineMs() }
}
