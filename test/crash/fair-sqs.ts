import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'
import { createFairOrder, type Entry } from './fair-queue.ts'

type Input = { QueueUrl: string; MaxNumberOfMessages?: number; Entries?: Entry[] }
type Received = { Messages?: { Body: string; ReceiptHandle: string }[] }
type Reply = { status: number; headers: IncomingHttpHeaders; body: Buffer }
type Ask = (target: string, input: object) => Promise<Reply>

const queueName = (queueUrl: string) => queueUrl.split('/').at(-1) ?? ''
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/**
 * One queue made fair in front of an emulator that is not, and drops the groups of messages: what is sent waits here,
 * and gets into the emulator's queue when somebody asks for messages, in the order that a fair queue has.
 */
const createFairQueue = (send: (entries: Entry[], queueUrl: string) => Promise<unknown>) => {
  const order = createFairOrder()
  const byBody = new Map<string, Entry>()
  const byHandle = new Map<string, Entry>()
  return {
    hold: (entries: readonly Entry[]) => {
      for (const entry of entries) {
        byBody.set(entry.MessageBody, entry)
        order.put(entry)
      }
      const Successful = entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: `${Id}-${md5(MessageBody)}`,
        MD5OfMessageBody: md5(MessageBody),
      }))
      return { Successful, Failed: [] }
    },
    beforeReceive: async ({ QueueUrl, MaxNumberOfMessages: most = 1 }: Input) => {
      const next = Array.from({ length: most }, () => order.next()).filter((entry) => entry !== undefined)
      if (next.length > 0) await send(next, QueueUrl)
    },
    received: ({ Messages = [] }: Received) => {
      for (const { Body, ReceiptHandle } of Messages) {
        const entry = byBody.get(Body)
        if (entry) byHandle.set(ReceiptHandle, entry)
      }
    },
    deleted: (handles: readonly string[]) => {
      for (const handle of handles) {
        const entry = byHandle.get(handle)
        if (entry) order.done(entry)
        byHandle.delete(handle)
      }
    },
  }
}

/** Stands between clients and an emulator of SQS: notes what is sent to any queue, and makes that named `fair` so. */
export const startFairSqs = async (endpoint: string, fair: string) => {
  const sent: Entry[] = []
  const ask: Ask = (target, input) =>
    forward('POST', '/', { ...JSON_HEADERS, 'x-amz-target': target }, Buffer.from(JSON.stringify(input)))
  const forward = (method: string, url: string, headers: IncomingHttpHeaders, body: Buffer) =>
    new Promise<Reply>((resolve, reject) => {
      const asked = request(new URL(url, endpoint), { method, headers }, async (reply) =>
        resolve({ status: reply.statusCode ?? 500, headers: reply.headers, body: await buffer(reply) }),
      )
      asked.on('error', reject)
      asked.end(body)
    })
  const queue = createFairQueue((Entries, QueueUrl) =>
    ask('AmazonSQS.SendMessageBatch', { QueueUrl, Entries }),
  )

  /** What to answer in the emulator's place, or undefined; what it needs to have done before it is asked, is done. */
  const before = async (operation: string, input: Input): Promise<object | undefined> => {
    const { QueueUrl, Entries = [] } = input
    if (operation === 'SendMessageBatch') sent.push(...Entries)
    if (queueName(QueueUrl) !== fair) return undefined
    const isDelayed = Entries.some(({ DelaySeconds = 0 }) => DelaySeconds > 0)
    if (operation === 'SendMessageBatch' && !isDelayed) return queue.hold(Entries)
    if (operation === 'ReceiveMessage') await queue.beforeReceive(input)
    if (operation === 'DeleteMessageBatch') queue.deleted(handlesIn(input))
    return undefined
  }

  const serve = async (method: string, url: string, headers: IncomingHttpHeaders, body: Buffer) => {
    const [service, operation = ''] = String(headers['x-amz-target'] ?? '').split('.')
    if (service !== 'AmazonSQS') return forward(method, url, headers, body)
    const input = JSON.parse(body.toString()) as Input
    const instead = await before(operation, input)
    if (instead) return { status: 200, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify(instead)) }
    const reply = await forward(method, url, headers, body)
    if (operation === 'ReceiveMessage') queue.received(JSON.parse(reply.body.toString()))
    return reply
  }

  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming
    try {
      const reply = await serve(method, url, headers, await buffer(incoming))
      response.writeHead(reply.status, reply.headers).end(reply.body)
    } catch {
      response.destroy()
    }
  })
  const { url, stop } = await onLoopback(server)
  return { url, sent, stop }
}

const JSON_HEADERS = { 'content-type': 'application/x-amz-json-1.0' }
const handlesIn = ({ Entries = [] }: Input) =>
  (Entries as unknown as { ReceiptHandle: string }[]).map(({ ReceiptHandle }) => ReceiptHandle)
