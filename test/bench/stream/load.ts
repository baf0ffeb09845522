import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../quantile.ts'
import { machineMs } from '../starts.ts'

/**
 * The load generator, in a process of its own: opens agentic streams and takes the time from a chunk of the provider to its
 * event here. Its order is an `Order` as JSON in its only argument; its answer is a `Result` as one line of JSON.
 */
export type Order = {
  port: number
  /** Streams at once, and in all. */
  atOnce: number
  streams: number
  chunks: number
  everyMs: number
  /** The first streams begin so long after each other. */
  apartMs: number
  /** Every so many streams are cut by the reader in the middle; 0 for none. */
  cutEvery: number
}
export type Result = {
  events: number
  seconds: number
  firstP50Ms: number
  lagP50Ms: number
  lagP99Ms: number
  failed: number
  /** Processor time of this process. */
  cpuSeconds: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
const order: Order = JSON.parse(process.argv[2] ?? '{}')

const call = (path: string, body: object, onText: (text: string, stop: () => void) => void) =>
  new Promise<number>((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: order.port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        const status = response.statusCode ?? 0
        response
          .setEncoding('utf8')
          .on('data', (text) => onText(text, () => response.destroy()))
          .on('error', () => undefined)
          .on('close', () => resolve(status))
      },
    )
    sent.on('error', () => resolve(0))
    sent.end(JSON.stringify(body))
  })

const createConversation = async (): Promise<string> => {
  let text = ''
  await call('/api/chat/conversations', { title: 'Bench' }, (piece) => {
    text += piece
  })
  return JSON.parse(text).conversation.id
}

const CONTENT = /"type":"content","data":\{"step":1,"text":"([\d. ]+)"/g

const lags: number[] = []
const firsts: number[] = []
let events = 0
let failed = 0

const runStream = async (id: string, isCut: boolean) => {
  let seen = 0
  let rest = ''
  let isComplete = false
  const take = (text: string, stop: () => void) => {
    const now = machineMs()
    const whole = rest + text
    const end = whole.lastIndexOf('\n\n') + 2
    rest = whole.slice(end)
    for (const [, stamps = ''] of whole.slice(0, end).matchAll(CONTENT)) {
      const lag = now - Number(stamps.trim().split(' ')[0])
      if (seen === 0) firsts.push(lag)
      lags.push(lag)
      seen += 1
    }
    isComplete ||= whole.includes('"type":"message_saved"')
    if (isCut && seen > order.chunks / 2) stop()
  }
  const content = `stream ${order.chunks} ${order.everyMs}`
  const status = await call(
    `/api/chat/conversations/${id}/messages/agentic`,
    { content, effort: 'low' },
    take,
  )
  events += seen
  if (status !== 200 || (!isCut && !isComplete)) failed += 1
}

const from = machineMs()
let begun = 0
const worker = async (_: unknown, place: number) => {
  await sleep(place * order.apartMs)
  while (begun < order.streams) {
    const number = ++begun
    await runStream(await createConversation(), order.cutEvery > 0 && number % order.cutEvery === 0)
  }
}
await Promise.all(Array.from({ length: order.atOnce }, worker))
const cpu = process.cpuUsage()
const result: Result = {
  events,
  failed,
  seconds: (machineMs() - from) / 1_000,
  firstP50Ms: quantile(firsts, 0.5),
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
  lagP50Ms: quantile(lags, 0.5),
  lagP99Ms: quantile(lags, 0.99),
}
console.log(JSON.stringify(result))
process.exit(0)
