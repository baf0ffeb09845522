import { describe, expect, it } from '@jest/globals'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

type Body = { id: string; asks: string }

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const turns = async () => {
  for (let n = 0; n < 5; n += 1) await turn()
}

const opened = (concurrency = 1) => {
  const clock = createFakeClock()
  const queue = createMemoryQueue<Body>({ clock, log: createFakeLog(), concurrency })
  let looked = 0
  const fits =
    (...asks: string[]) =>
    (body: Body) => {
      looked += 1
      return asks.includes(body.asks)
    }
  const send = (id: string, asks = '', { priority = 3, delayMs = 0, owner = '' } = {}) =>
    queue.send([{ body: { id, asks }, priority: priority as 3, delayMs, lane: asks, owner }])
  const never = new AbortController().signal
  const receive = (signal: AbortSignal = never, ...asks: string[]) =>
    queue.receive(fits(...asks), signal).then((message) => message?.body.id)
  return { clock, queue, send, fits, receive, never, looks: () => looked }
}
type Opened = ReturnType<typeof opened>

/** The worker of the process, which runs each message until it is told to end it. */
const startWorker = ({ queue, fits }: Opened, ...asks: string[]) => {
  const got: string[] = []
  const ends: (() => void)[] = []
  queue.start(
    ({ body }) => {
      got.push(body.id)
      return new Promise((resolve) => ends.push(resolve))
    },
    fits(...asks),
  )
  return { got, endOne: () => ends.shift()?.() }
}

describe('a receiver', () => {
  it('gets the most urgent message that fits, and leaves the others', async () => {
    const all = opened()
    await all.send('late', 'gpu')
    await all.send('other', 'mac', { priority: 1 })
    await all.send('urgent', 'gpu', { priority: 2 })
    expect(await all.receive(all.never, 'gpu')).toBe('urgent')
    expect(await all.receive(all.never, 'gpu')).toBe('late')
    expect(all.queue.depth()).toEqual({ ready: 1, delayed: 0, running: 0 })
  })

  it('waits for a message: one that is sent, one that is due, and one that is given back', async () => {
    const all = opened()
    const first = all.queue.receive(all.fits('gpu'), all.never)
    await all.send('sent', 'gpu')
    const message = await first
    expect(message).toMatchObject({ body: { id: 'sent' }, receives: 1 })
    const second = all.queue.receive(all.fits('gpu'), all.never)
    message?.giveBack()
    expect(await second).toMatchObject({ body: { id: 'sent' }, receives: 1 })
    const third = all.receive(all.never, 'gpu')
    await all.send('due', 'gpu', { delayMs: 50 })
    all.clock.advance(50)
    expect(await third).toBe('due')
  })

  it('gets nothing once its signal has aborted, and the message goes to the next one', async () => {
    const all = opened()
    const gone = new AbortController()
    const first = all.receive(gone.signal, 'gpu')
    const second = all.receive(all.never, 'gpu')
    gone.abort()
    await all.send('a', 'gpu')
    expect(await Promise.all([first, second])).toEqual([undefined, 'a'])
    expect(await all.receive(gone.signal, 'gpu')).toBeUndefined()
  })

  it('gives a message back to its place in the order', async () => {
    const all = opened()
    await all.send('a', 'gpu')
    await all.send('b', 'gpu')
    const message = await all.queue.receive(all.fits('gpu'), all.never)
    message?.giveBack()
    expect(await all.receive(all.never, 'gpu')).toBe('a')
  })

  it('that waits longest gets a message first, the worker of the process among them', async () => {
    const all = opened(10)
    const early = all.receive(all.never, '')
    const worker = startWorker(all, '')
    const late = all.receive(all.never, '')
    for (const id of ['1', '2', '3', '4']) await all.send(id)
    expect(await Promise.all([early, late])).toEqual(['1', '3'])
    expect(worker.got).toEqual(['2', '4'])
  })

  it('takes what the worker has no place for, also while there is no worker', async () => {
    const all = opened(1)
    const worker = startWorker(all, '')
    await all.send('a')
    await all.send('b')
    await turns()
    expect(await all.receive(all.never, '')).toBe('b')
    expect(worker.got).toEqual(['a'])
    worker.endOne()
    await all.queue.drain()
    await all.send('c')
    expect(await all.receive(all.never, '')).toBe('c')
  })
})

describe('messages that fit no taker', () => {
  it('are not in the way of others, and are looked at once', async () => {
    const all = opened(1)
    const worker = startWorker(all, '')
    const waiting = Array.from({ length: 50 }, () => all.receive(all.never, 'mac'))
    for (let n = 0; n < 10_000; n += 1) await all.send(`g${n}`, 'gpu', { priority: 1 })
    await turns()
    const before = all.looks()
    expect(before).toBe(51)
    for (let n = 0; n < 100; n += 1) {
      await all.send(`${n}`)
      await turns()
      worker.endOne()
      await turns()
    }
    expect(worker.got).toHaveLength(100)
    expect(all.looks() - before).toBeLessThanOrEqual(100 * 51)
    expect(all.queue.depth().ready).toBe(10_000)
    await all.send('m', 'mac')
    expect(await waiting[0]).toBe('m')
  })

  it('leave the event loop idle', async () => {
    const all = opened()
    startWorker(all, '')
    void all.receive(all.never, 'mac')
    await all.send('g', 'gpu')
    await turns()
    const { setImmediate: real } = globalThis
    let scheduled = 0
    globalThis.setImmediate = ((call: () => void) => {
      scheduled += 1
      return real(call)
    }) as typeof setImmediate
    try {
      for (let n = 0; n < 5; n += 1) await new Promise<void>((resolve) => real(resolve))
    } finally {
      globalThis.setImmediate = real
    }
    expect(scheduled).toBe(0)
  })
})

describe('owners', () => {
  const served = async (sent: readonly [id: string, owner: string, more?: object][]) => {
    const all = opened()
    for (const [id, owner, more] of sent) await all.send(id, '', { owner, ...more })
    const worker = startWorker(all, '')
    await turns()
    for (const _ of sent) {
      worker.endOne()
      await turns()
    }
    return worker.got.join(' ')
  }

  it.each([
    ['take turns', ['a1 ann', 'a2 ann', 'a3 ann', 'b1 bob', 'b2 bob'], 'a1 b1 a2 b2 a3'],
    ['that came later wait for one message of each', ['a1 ann', 'a2 ann', 'b1 bob', 'c1 cy'], 'a1 b1 c1 a2'],
  ])('%s', async (_, sent, order) => {
    expect(await served(sent.map((text) => text.split(' ') as [string, string]))).toBe(order)
  })

  it('take turns within a priority: more urgent messages go first, and cost no turn', async () => {
    const sent = await served([
      ['a1', 'ann'],
      ['a2', 'ann', { priority: 2 }],
      ['a3', 'ann', { priority: 2 }],
      ['b1', 'bob'],
    ])
    expect(sent).toBe('a2 a3 a1 b1')
  })

  it('take turns across lanes', async () => {
    const all = opened()
    for (const id of ['a1', 'a2', 'a3']) await all.send(id, 'x', { owner: 'ann' })
    for (const id of ['b1', 'b2']) await all.send(id, 'y', { owner: 'bob' })
    const got = []
    for (let n = 0; n < 5; n += 1) got.push(await all.receive(all.never, 'x', 'y'))
    expect(got.join(' ')).toBe('a1 b1 a2 b2 a3')
  })
})
