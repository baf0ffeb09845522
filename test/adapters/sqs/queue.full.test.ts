import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from '@jest/globals'
import { createSqsQueue, type QueueUrls } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Outgoing } from '../../../lib/ports/queue.ts'
import { forAllTests } from '../../fakes/lifetimes.ts'
import { type Sqs, startSqs, totalDepth } from './emulator.ts'
import { failRequests, watchRequests } from './requests.ts'

type Body = { n: number; text?: string }
type Entry = { Id: string; MessageBody: string; DelaySeconds?: number; MessageGroupId?: string }

const clock = createClock()
const sqs = forAllTests(startSqs, ({ stop }) => stop())

const open = async (urls?: QueueUrls) => {
  const client = sqs().connect()
  const seen = watchRequests(client)
  const all = urls ?? (await sqs().queues())
  const entries = () => seen.flatMap(({ input }) => (input.Entries ?? []) as Entry[])
  return { client, seen, entries, urls: all, queue: createSqsQueue<Body>({ client, urls: all, clock }) }
}
const numbered = (count: number, more: Partial<Outgoing<Body>> = {}) =>
  Array.from({ length: count }, (_, n) => ({ body: { n }, priority: 3 as const, ...more }))

describe('sending to SQS', () => {
  it('shares requests between the calls of one turn', async () => {
    const { queue, seen, client, urls } = await open()
    await Promise.all(numbered(100).map((message) => queue.send([message])))
    expect(seen.map(({ command }) => command)).toEqual(Array(10).fill('SendMessageBatch'))
    expect(await totalDepth(client, urls)).toBe(100)
  })

  it('sends ten at a time and needs no request for nothing', async () => {
    const { queue, seen, entries } = await open()
    await queue.send([])
    await queue.send(numbered(25))
    expect(seen).toHaveLength(3)
    expect(entries()).toHaveLength(25)
  })

  it('keeps a request below the size that SQS takes', async () => {
    const { queue, seen, client, urls } = await open()
    const text = 'x'.repeat(300_000)
    await queue.send(numbered(10).map((message) => ({ ...message, body: { ...message.body, text } })))
    expect(seen).toHaveLength(4)
    expect(await totalDepth(client, urls)).toBe(10)
  })

  it('gives priority 1 a queue of its own', async () => {
    const { queue, client, urls } = await open()
    await queue.send([1, 2, 3, 4].map((n) => ({ body: { n }, priority: n as 1 | 2 | 3 | 4 })))
    expect(await totalDepth(client, { normal: urls.urgent ?? '' })).toBe(1)
    expect(await totalDepth(client, { normal: urls.normal })).toBe(3)
  })

  it('puts priority 1 with the others where there is one queue', async () => {
    const { normal } = await sqs().queues()
    const { queue, client } = await open({ normal })
    await queue.send(numbered(1, { priority: 1 }))
    expect(await totalDepth(client, { normal })).toBe(1)
  })

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [900_000, 900],
  ])('rounds a delay of %i ms up to %i s', async (delayMs, seconds) => {
    const { queue, entries } = await open()
    await queue.send(numbered(1, { delayMs }))
    expect(entries()[0]?.DelaySeconds).toBe(seconds)
  })

  it.each([900_001, -1, Number.NaN])(
    'refuses a delay of %d ms and sends nothing of the call',
    async (delayMs) => {
      const { queue, seen } = await open()
      expect(queue.longestDelayMs).toBe(900_000)
      await expect(queue.send([...numbered(1), ...numbered(1, { delayMs })])).rejects.toThrow(TypeError)
      expect(seen).toEqual([])
    },
  )

  it('refuses a message that is longer than SQS takes', async () => {
    const { queue, seen } = await open()
    const body = { n: 1, text: 'x'.repeat(1_048_576) }
    await expect(queue.send([{ body, priority: 3 }])).rejects.toThrow(TypeError)
    expect(seen).toEqual([])
  })

  it('tells every caller its own outcome', async () => {
    const { normal } = await sqs().queues()
    const { queue } = await open({ normal, urgent: `${normal}-that-nobody-made` })
    const [lost, kept] = await Promise.allSettled([
      queue.send(numbered(1, { priority: 1 })),
      queue.send(numbered(1, { priority: 2 })),
    ])
    expect(lost).toMatchObject({ reason: { kind: 'unavailable', code: 'queue_unavailable' } })
    expect(kept.status).toBe('fulfilled')
  })

  it('says whose a message is, which is what fair queues go by; the emulator itself knows no fairness', async () => {
    const { queue, entries, client, urls } = await open()
    await Promise.all([
      queue.send(numbered(10_000, { group: 'owner/loud' })),
      queue.send(numbered(3, { group: 'owner/quiet' })),
      queue.send(numbered(1)),
    ])
    const groups = Map.groupBy(entries(), ({ MessageGroupId }) => MessageGroupId)
    expect(Array.from(groups, ([group, { length }]) => [group, length])).toEqual([
      ['owner/loud', 10_000],
      ['owner/quiet', 3],
      [undefined, 1],
    ])
    expect(await totalDepth(client, urls)).toBe(10_004)
  })

  it('sends again what was left out of a batch, and only that', async () => {
    const { queue, seen, client, urls } = await open()
    const other = sqs().connect()
    refuseOnce(client, ['2', '5'], false)
    await queue.send(numbered(8))
    expect(seen.map(({ input }) => (input.Entries as Entry[]).map(({ Id }) => Id))).toEqual([
      ['0', '1', '3', '4', '6', '7'],
      ['2', '5'],
    ])
    const { Messages = [] } = await other.send(
      new ReceiveMessageCommand({ QueueUrl: urls.normal, MaxNumberOfMessages: 10 }),
    )
    const got = Messages.map(({ Body = '' }) => JSON.parse(Body).body.n)
    expect(got.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('does not send again what SQS calls the fault of the sender, and tells only whose it was', async () => {
    const { queue, seen, client } = await open()
    refuseOnce(client, ['1'], true)
    const outcomes = await Promise.allSettled(numbered(3).map((message) => queue.send([message])))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { kind: 'unavailable', code: 'queue_unavailable' } })
    expect(seen).toHaveLength(1)
  })
})

describe('SQS that fails every request', () => {
  it('is asked four times, then it is unavailable', async () => {
    const { queue, seen, client } = await open()
    failRequests(
      client,
      () => 1,
      () => 0,
    )
    await expect(queue.send(numbered(3))).rejects.toMatchObject({ code: 'queue_unavailable' })
    expect(seen.map(({ command }) => command)).toEqual(Array(4).fill('SendMessageBatch'))
  })
})

/** Lets SQS leave entries out of the first request, as it does when one of its servers is at a loss. */
const refuseOnce = (client: ReturnType<Sqs['connect']>, ids: readonly string[], senderFault: boolean) => {
  let left = ids
  client.middlewareStack.add(
    (next) => async (args) => {
      const { input } = args as unknown as { input: { Entries: Entry[] } }
      const refused = input.Entries.filter(({ Id }) => left.includes(Id))
      left = []
      const Entries = input.Entries.filter((entry) => !refused.includes(entry))
      const answer = await next({ ...args, input: { ...input, Entries } as never })
      const Failed = refused.map(({ Id }) => ({ Id, SenderFault: senderFault, Code: 'InternalError' }))
      Object.assign(answer.output, { Failed })
      return answer
    },
    { step: 'initialize', name: 'refuseOnce' },
  )
}
