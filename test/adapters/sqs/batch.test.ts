import { describe, expect, it } from '@jest/globals'
import { encode } from '../../../lib/adapters/aws/sqs/message.ts'
import {
  createSqsBatchHandler,
  type Poison,
  type SqsRecord,
} from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { Problem } from '../../../lib/core/errors.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { type Numbered, NumberedSchema } from './numbered.ts'

const numberedRecord = (n: number, body = encode({ body: { n }, priority: 3 }), receives = 1): SqsRecord => ({
  messageId: `message-${n}`,
  receiptHandle: `receipt-${n}`,
  body,
  attributes: { ApproximateReceiveCount: String(receives) },
  messageAttributes: {},
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:tasks',
})
const ten = () => Array.from({ length: 10 }, (_, n) => numberedRecord(n))
const failures = (...ns: number[]) => ({
  batchItemFailures: ns.map((n) => ({ itemIdentifier: `message-${n}` })),
})

type Needs = Parameters<typeof createSqsBatchHandler<Numbered>>[0]

const open = (needs: Partial<Needs> = {}) => {
  const clock = createFakeClock()
  const log = createFakeLog()
  const poison: Poison[] = []
  const endsAt = clock.monotonic() + 30_000
  const context = { getRemainingTimeInMillis: () => endsAt - clock.monotonic() }
  const handler = createSqsBatchHandler<Numbered>({
    parse: NumberedSchema,
    handle: async () => undefined,
    onPoison: async (one) => void poison.push(one),
    clock,
    log,
    ...needs,
  })
  return { clock, log, poison, run: (Records: SqsRecord[]) => handler({ Records }, context) }
}
const failing = (...ns: number[]): Needs['handle'] => {
  return async ({ body }) => {
    if (ns.includes(body.n)) throw new Error('It failed')
  }
}

describe('a batch from SQS', () => {
  it('is handed over record by record, all at once', async () => {
    const handled: unknown[] = []
    let together = 0
    const { run, clock } = open({
      handle: async (delivery) => {
        handled.push(delivery)
        together += 1
        await new Promise((resolve) => setImmediate(resolve))
        expect(together).toBe(10)
      },
    })
    expect(await run([numberedRecord(0, undefined, 4), ...ten().slice(1)])).toEqual(failures())
    expect(handled[0]).toEqual({ id: 'message-0', body: { n: 0 }, receives: 4 })
    expect(handled).toHaveLength(10)
    expect(clock.pending).toBe(0)
  })

  it('reports the records whose handlers failed, and no other', async () => {
    const { run, log } = open({ handle: failing(3, 7) })
    expect(await run(ten())).toEqual(failures(3, 7))
    expect(log.entries).toHaveLength(2)
  })

  it('completes the others of a batch with poison, which it puts aside with its reason', async () => {
    const { run, poison } = open()
    const records = ten()
    records[4] = numberedRecord(4, 'no json')
    expect(await run(records)).toEqual(failures())
    expect(poison).toEqual([{ id: 'message-4', reason: 'not_json', text: 'no json' }])
  })

  it('puts aside what names something that does not exist', async () => {
    const { run, poison } = open({
      handle: async () => {
        throw new Problem('missing', 'task_not_found', 'Task not found')
      },
    })
    expect(await run([numberedRecord(0)])).toEqual(failures())
    expect(poison).toMatchObject([{ id: 'message-0', reason: 'task_not_found' }])
  })

  it('reports poison that could not be put aside', async () => {
    const { run } = open({ onPoison: async () => Promise.reject(new Error('No room')) })
    expect(await run([numberedRecord(0), numberedRecord(1, '{}')])).toEqual(failures(1))
  })

  it.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [50, 300_000],
  ])('brings a record that failed %i times back after %i ms', async (receives, delayMs) => {
    const delays: [string, number][] = []
    const { run } = open({
      handle: failing(1),
      redeliverIn: async ({ receiptHandle }, ms) => void delays.push([receiptHandle, ms]),
    })
    await run([numberedRecord(0), numberedRecord(1, undefined, receives)])
    expect(delays).toEqual([['receipt-1', delayMs]])
  })

  it('reports a failed record as well when it could not be brought back sooner', async () => {
    const { run, log } = open({
      handle: failing(1),
      redeliverIn: async () => Promise.reject(new Error('Throttled')),
    })
    expect(await run(ten())).toEqual(failures(1))
    expect(log.entries.map(({ message }) => message)).toContain(
      'a message comes again at the end of its visibility timeout only',
    )
  })

  it('answers before the function is frozen, with what was not done by then', async () => {
    const { run, clock, log } = open({
      handle: ({ body }) => (body.n < 8 ? Promise.resolve() : new Promise(() => undefined)),
    })
    const answer = run(ten())
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(28_999)
    expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting')
    clock.advance(1)
    expect(await answer).toEqual(failures(8, 9))
    expect(log.entries).toMatchObject([{ level: 'error', fields: { undone: 2, of: 10 } }])
  })

  it('tells a handler what is left of the time, so that it can stop', async () => {
    const left: number[] = []
    const { run, clock } = open({
      handle: async (_, remainingMs) => {
        left.push(remainingMs())
        clock.advance(10_000)
        left.push(remainingMs())
      },
    })
    expect(await run([numberedRecord(0)])).toEqual(failures())
    expect(left).toEqual([30_000, 20_000])
  })
})
