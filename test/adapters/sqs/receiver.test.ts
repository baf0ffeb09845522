import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createSqsReceiver, hiddenSeconds } from '../../../lib/adapters/aws/sqs/receiver.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { forAllTests } from '../../fakes/lifetimes.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { startSqs, totalDepth } from './emulator.ts'
import { watchRequests } from './requests.ts'

const BodySchema = z.object({ id: z.string(), asks: z.string() })
type Body = z.output<typeof BodySchema>

const sqs = forAllTests(startSqs, ({ stop }) => stop())
/** No wait of a receiver is over before the requests that came with it. */
const clock = { ...createClock(), after: (_ms: number, call: () => void) => void setImmediate(call) as never }
const NEVER = new AbortController().signal

const opened = async () => {
  const client = sqs().connect()
  const urls = await sqs().queues({ visibilityTimeout: 3_600 })
  const log = createFakeLog()
  const queue = createSqsQueue<Body>({ client, urls, clock: createClock() })
  const receiver = () => createSqsReceiver<Body>({ client, urls, parse: BodySchema, clock, log })
  const send = (id: string, asks: string, priority = 3) =>
    queue.send([{ body: { id, asks }, priority: priority as 3 }])
  const receive = (asks: string, signal = NEVER) => receiver().receive((body) => body.asks === asks, signal)
  return { client, urls, log, send, receive, depth: () => totalDepth(client, urls) }
}

describe('a receiver of SQS', () => {
  it('takes an urgent message before others, and one that is done is gone', async () => {
    const { send, receive, depth } = await opened()
    await send('later', 'gpu')
    await send('urgent', 'gpu', 1)
    const first = await receive('gpu')
    expect(first).toMatchObject({ body: { id: 'urgent', asks: 'gpu' }, receives: 1 })
    await first?.done()
    expect(await depth()).toBe(1)
  })

  it('leaves to others what does not fit it, at once, and finds what does behind more of that than it takes', async () => {
    const { send, receive, depth } = await opened()
    await Promise.all(Array.from({ length: 25 }, (_, n) => send(`mac-${n}`, 'mac')))
    await send('own', 'gpu')
    const own = await receive('gpu')
    expect(own?.body.id).toBe('own')
    await own?.done()
    const others = new Set<string>()
    for (let n = 0; n < 25; n += 1) {
      const other = await receive('mac')
      others.add(other?.body.id ?? '')
      await other?.done()
    }
    expect([others.size, await depth()]).toEqual([25, 0])
  })

  it('waits for a message, and gets one that is given back', async () => {
    const { send, receive } = await opened()
    const waiting = receive('gpu')
    await send('one', 'gpu')
    const first = await waiting
    const again = receive('gpu')
    await first?.giveBack()
    expect(await again).toMatchObject({ body: { id: 'one' }, receives: 2 })
  })

  it('ends when it is told to, and what came for it then is for others', async () => {
    const { client, send, receive } = await opened()
    const ending = new AbortController()
    const requests = watchRequests(client)
    const ended = receive('gpu', ending.signal)
    await send('one', 'gpu')
    ending.abort()
    expect(await ended).toBeUndefined()
    expect(requests.map(({ command }) => command)).toContain('ReceiveMessage')
    expect((await receive('gpu'))?.body.id).toBe('one')
  })

  it('deletes a message that cannot be read', async () => {
    const { client, urls, log, send, receive, depth } = await opened()
    await client.send(new SendMessageCommand({ QueueUrl: urls.urgent, MessageBody: 'nonsense' }))
    await send('one', 'gpu')
    await (await receive('gpu'))?.done()
    expect(await depth()).toBe(0)
    expect(log.entries.map(({ fields }) => fields.reason)).toEqual(['not_json'])
  })

  it.each([
    [1, 0],
    [99, 0],
    [100, 10],
    [5_000, 10],
  ])('hides a message that did not fit %i receives for %i s', (receives, seconds) => {
    expect(hiddenSeconds(receives)).toBe(seconds)
  })
})
