import { describe, expect, it } from '@jest/globals'
import type { Consumer, Delivery, Queue } from '../../lib/ports/queue.ts'
import { until } from '../fakes/until.ts'
import { withOpened } from './test-of.ts'

/** Identifiers, as the service sends them. */
export type Message = { taskId: string; attempt: number }

/** An empty queue with its receiving side, which nobody has started. */
export type OpenQueue = {
  queue: Queue<Message>
  consumer: Consumer<Message>
  /** Lets time pass for the queue: moves its clock on, or waits. */
  pass(ms: number): Promise<void>
  /** Ends this process's side and opens the same queue as the next process would. */
  reopen?(): Promise<OpenQueue>
  /** Makes the service behind the queue fail from now on. */
  breakDown?(): void
  /** Stops receiving, without waiting for handlers that run. */
  close(): Promise<void>
}

export type Capability = 'strict priority' | 'order within a priority' | 'durability' | 'refusal'

export type QueueOptions = {
  /** What this adapter cannot promise, and why. */
  lacks: { readonly [C in Capability]?: string }
  /** A delay that this queue can keep. */
  delayMs: number
  /** After so long a rejected message has come again, and a consumed one never will. */
  redeliverMs: number
}

const message = (taskId: string): Message => ({ taskId, attempt: 1 })
const outgoing = (taskId: string, priority: 1 | 2 | 3 | 4 = 3, delayMs?: number) =>
  delayMs === undefined ? { body: message(taskId), priority } : { body: message(taskId), priority, delayMs }

/** Handlers that note what they are given and end when told to. */
const heldHandlers = () => {
  const started: Delivery<Message>[] = []
  const ends: (() => void)[] = []
  return {
    started,
    handle: (delivery: Delivery<Message>) => {
      started.push(delivery)
      return new Promise<void>((resolve) => ends.push(resolve))
    },
    endAll: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

/** The contract of `lib/ports/queue.ts`, sentence by sentence. */
export const queueContract = (
  name: string,
  open: (settings: { concurrency: number }) => Promise<OpenQueue>,
  { lacks, delayMs, redeliverMs }: QueueOptions,
) => {
  const promise = (sentence: string, test: (opened: OpenQueue) => Promise<void>, concurrency = 1) =>
    it(
      sentence,
      withOpened(() => open({ concurrency }), test),
    )
  const promiseIf = (needed: Capability, sentence: string, test: (opened: OpenQueue) => Promise<void>) =>
    lacks[needed] === undefined
      ? promise(sentence, test)
      : it.todo(`${sentence} (not promised here: ${lacks[needed]})`)

  describe(`the queue ${name}`, () => {
    promise(
      'delivers what was sent, unchanged, and counts the delivery as the first',
      async ({ queue, consumer }) => {
        const got: Delivery<Message>[] = []
        await queue.send([outgoing('a')])
        consumer.start(async (delivery) => void got.push(delivery))
        await until(() => got.length === 1)
        expect(got).toEqual([{ body: message('a'), receives: 1 }])
      },
    )

    promise('takes any number of messages at once, none included', async ({ queue, consumer }) => {
      const sent = Array.from({ length: 25 }, (_, n) => `task-${n}`)
      const got = new Set<string>()
      await queue.send([])
      await queue.send(sent.map((taskId) => outgoing(taskId)))
      consumer.start(async ({ body }) => void got.add(body.taskId))
      await until(() => got.size === sent.length)
      expect([...got].sort()).toEqual([...sent].sort())
    })

    promise('delivers what is sent after the start as well', async ({ queue, consumer }) => {
      const got: string[] = []
      consumer.start(async ({ body }) => void got.push(body.taskId))
      await queue.send([outgoing('late')])
      await until(() => got.length === 1)
      expect(got).toEqual(['late'])
    })

    promiseIf('strict priority', 'serves the lower priority number first', async ({ queue, consumer }) => {
      const got: string[] = []
      await queue.send([
        outgoing('low', 4),
        outgoing('normal', 3),
        outgoing('high', 2),
        outgoing('critical', 1),
      ])
      consumer.start(async ({ body }) => void got.push(body.taskId))
      await until(() => got.length === 4)
      expect(got).toEqual(['critical', 'high', 'normal', 'low'])
    })

    promiseIf(
      'order within a priority',
      'keeps the order of sending within a priority',
      async ({ queue, consumer }) => {
        const sent = Array.from({ length: 30 }, (_, n) => `task-${n}`)
        const got: string[] = []
        await queue.send(sent.slice(0, 15).map((taskId) => outgoing(taskId)))
        await queue.send(sent.slice(15).map((taskId) => outgoing(taskId)))
        consumer.start(async ({ body }) => void got.push(body.taskId))
        await until(() => got.length === sent.length)
        expect(got).toEqual(sent)
      },
    )

    promiseIf(
      'order within a priority',
      'gives a message that was delayed its place by the order of sending',
      async (opened) => {
        const { queue, consumer, pass } = opened
        const got: string[] = []
        await queue.send([outgoing('first', 3, delayMs), outgoing('second', 3)])
        await pass(delayMs)
        consumer.start(async ({ body }) => void got.push(body.taskId))
        await until(() => got.length === 2)
        expect(got).toEqual(['first', 'second'])
      },
    )

    promiseIf(
      'strict priority',
      'serves those that became due meanwhile by priority',
      async ({ queue, consumer, pass }) => {
        const got: string[] = []
        await queue.send([
          outgoing('low', 4, delayMs / 2),
          outgoing('critical', 1, delayMs),
          outgoing('normal', 3),
        ])
        await pass(delayMs)
        consumer.start(async ({ body }) => void got.push(body.taskId))
        await until(() => got.length === 3)
        expect(got).toEqual(['critical', 'normal', 'low'])
      },
    )

    promise(
      'holds a delayed message back until its time, and no other',
      async ({ queue, consumer, pass }) => {
        const got: string[] = []
        consumer.start(async ({ body }) => void got.push(body.taskId))
        await queue.send([outgoing('later', 1, delayMs), outgoing('now', 4)])
        await until(() => got.length === 1)
        await pass(delayMs / 2)
        expect(got).toEqual(['now'])
        await pass(delayMs / 2)
        await until(() => got.length === 2)
        expect(got).toEqual(['now', 'later'])
      },
    )

    promise('never repeats a message whose handler resolved', async ({ queue, consumer, pass }) => {
      const got: string[] = []
      consumer.start(async ({ body }) => void got.push(body.taskId))
      await queue.send([outgoing('once')])
      await until(() => got.length === 1)
      await pass(redeliverMs)
      expect(got).toEqual(['once'])
    })

    promise('delivers again what a handler rejected, counting up', async ({ queue, consumer, pass }) => {
      const got: Delivery<Message>[] = []
      consumer.start(async (delivery) => {
        got.push(delivery)
        if (delivery.receives < 3) throw new Error('not yet')
      })
      await queue.send([outgoing('again')])
      for (const receives of [1, 2, 3]) {
        await until(() => got.length === receives)
        await pass(redeliverMs)
      }
      expect(got).toEqual([1, 2, 3].map((receives) => ({ body: message('again'), receives })))
    })

    promise('goes on with the others while one message keeps failing', async ({ queue, consumer }) => {
      const got: string[] = []
      consumer.start(async ({ body }) => {
        if (body.taskId === 'bad') throw new Error('never')
        got.push(body.taskId)
      })
      await queue.send([outgoing('bad', 1), outgoing('good-1'), outgoing('good-2')])
      await until(() => got.length === 2)
      expect(got.sort()).toEqual(['good-1', 'good-2'])
    })

    promise(
      'runs as many handlers at once as its concurrency says, and no more',
      async ({ queue, consumer, pass }) => {
        const { started, handle, endAll } = heldHandlers()
        expect(consumer.concurrency).toBe(3)
        await queue.send(Array.from({ length: 7 }, (_, n) => outgoing(`task-${n}`)))
        consumer.start(handle)
        for (const most of [3, 6, 7]) {
          await until(() => started.length === most)
          await pass(10)
          expect(started).toHaveLength(most)
          endAll()
        }
      },
      3,
    )

    promise('keeps messages waiting until it is started', async ({ queue, consumer, pass }) => {
      const got: string[] = []
      await queue.send([outgoing('patient')])
      await pass(delayMs)
      expect(consumer.running).toBe(false)
      consumer.start(async ({ body }) => void got.push(body.taskId))
      expect(consumer.running).toBe(true)
      await until(() => got.length === 1)
    })

    promise(
      'drains by letting running handlers end and starting no other',
      async ({ queue, consumer, pass }) => {
        const { started, handle, endAll } = heldHandlers()
        await queue.send([outgoing('running'), outgoing('waiting')])
        consumer.start(handle)
        await until(() => started.length === 1)
        let drained = false
        const draining = consumer.drain().then(() => {
          drained = true
        })
        expect(consumer.running).toBe(false)
        await pass(10)
        expect(drained).toBe(false)
        endAll()
        await draining
        await pass(10)
        expect(started).toHaveLength(1)
      },
    )

    promise(
      'is drained only when the last of several handlers has ended',
      async ({ queue, consumer, pass }) => {
        const ends: (() => void)[] = []
        await queue.send([outgoing('a'), outgoing('b')])
        consumer.start(() => new Promise((resolve) => ends.push(resolve)))
        await until(() => ends.length === 2)
        let drained = false
        const draining = consumer.drain().then(() => {
          drained = true
        })
        ends[0]?.()
        await pass(10)
        expect(drained).toBe(false)
        ends[1]?.()
        await draining
      },
      2,
    )

    promise('drains at once when nothing runs', async ({ consumer }) => {
      await consumer.drain()
      consumer.start(async () => undefined)
      await consumer.drain()
      await consumer.drain()
      expect(consumer.running).toBe(false)
    })

    promise('serves what waited when it is started again after a drain', async ({ queue, consumer }) => {
      const got: string[] = []
      consumer.start(async () => undefined)
      await consumer.drain()
      await queue.send([outgoing('kept')])
      consumer.start(async ({ body }) => void got.push(body.taskId))
      await until(() => got.length === 1)
      expect(got).toEqual(['kept'])
    })

    promise('refuses a second start', async ({ consumer }) => {
      consumer.start(async () => undefined)
      expect(() => consumer.start(async () => undefined)).toThrow('started')
    })

    promiseIf('durability', 'keeps messages when the process ends', async ({ queue, reopen }) => {
      const got: string[] = []
      await queue.send([outgoing('survivor')])
      const next = await reopen?.()
      next?.consumer.start(async ({ body }) => void got.push(body.taskId))
      await until(() => got.length === 1)
      expect(got).toEqual(['survivor'])
      await next?.close()
    })

    promiseIf(
      'refusal',
      'rejects with Problem unavailable when it did not take every message',
      async (opened) => {
        opened.breakDown?.()
        await expect(opened.queue.send([outgoing('lost')])).rejects.toMatchObject({ kind: 'unavailable' })
      },
    )
  })
}
