import { describe, expect, it } from '@jest/globals'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const turns = async () => {
  for (let n = 0; n < 5; n += 1) await turn()
}

const opened = ({ concurrency = 10, redeliverAfterMs = 1_000 } = {}) => {
  const clock = createFakeClock()
  const log = createFakeLog()
  return { clock, log, queue: createMemoryQueue<string>({ clock, log, concurrency, redeliverAfterMs }) }
}
const normal = (body: string, delayMs = 0) => ({ body, priority: 3, delayMs }) as const

const promises = async () => {
  for (let n = 0; n < 100; n += 1) await Promise.resolve()
}

describe('the moment in which a message is handled', () => {
  it('comes when all is done that its sender began', async () => {
    const { queue } = opened()
    const got: string[] = []
    queue.start(async ({ body }) => void got.push(body))
    await queue.send([normal('a')])
    await promises()
    expect(got).toEqual([])
    await turns()
    expect(got).toEqual(['a'])
  })

  it('comes after the promises of a callback that sends outright', async () => {
    const { queue } = opened()
    const heard: string[] = []
    queue.start(async ({ body }) => void heard.push(body))
    setImmediate(() => {
      void promises().then(() => heard.push('done'))
      void queue.send([normal('a')])
    })
    await turns()
    expect(heard).toEqual(['done', 'a'])
  })

  it('is in a turn of its own for what handlers send', async () => {
    const { queue } = opened()
    const heard: string[] = []
    queue.start(async ({ body }) => {
      heard.push(body)
      await queue.send([normal(`${Number(body) + 1}`)])
    })
    const next = () => void (heard.push('next') < 20 && setImmediate(next))
    setImmediate(next)
    void queue.send([normal('0')])
    await turns()
    expect(heard.slice(0, 8)).toEqual(['next', '0', 'next', '1', 'next', '2', 'next', '3'])
    await queue.drain()
  })

  it('does not come when the queue is drained before', async () => {
    const { queue } = opened()
    const got: string[] = []
    queue.start(async ({ body }) => void got.push(body))
    await queue.send([normal('a')])
    await queue.drain()
    await turns()
    expect(got).toEqual([])
    expect(queue.depth().ready).toBe(1)
  })

  it('is a later one also when a handler ends, and frees its place, right after the sending', async () => {
    const { queue } = opened({ concurrency: 1 })
    const heard: string[] = []
    const handling = Promise.withResolvers<void>()
    queue.start(({ body }) => {
      heard.push(body)
      return handling.promise
    })
    await queue.send([normal('first')])
    await turns()
    void queue.send([normal('second')])
    handling.resolve()
    await promises()
    expect(heard).toEqual(['first'])
    await turns()
    expect(heard).toEqual(['first', 'second'])
  })

  it('is the next one for the most urgent message, also where all places were taken when it was sent', async () => {
    const { queue } = opened({ concurrency: 1 })
    const heard: string[] = []
    const ends: (() => void)[] = []
    queue.start(({ body }) => {
      heard.push(body)
      return new Promise((resolve) => ends.push(resolve))
    })
    await queue.send([normal('first'), normal('second'), normal('third')])
    await turns()
    await queue.send([{ body: 'urgent', priority: 1 }])
    await turns()
    for (let n = 0; n < 3; n += 1) {
      ends[n]?.()
      await turns()
    }
    expect(heard).toEqual(['first', 'urgent', 'second', 'third'])
  })

  it('comes for all, however fast others go on sending', async () => {
    const { queue } = opened({ concurrency: 1 })
    let handled = 0
    queue.start(async ({ body }) => {
      handled += 1
      if (handled < 500) await queue.send([normal(body)])
    })
    await queue.send([normal('a'), normal('b')])
    for (let n = 0; n < 1_100; n += 1) await turn()
    expect(handled).toBe(501)
    expect(queue.depth()).toEqual({ ready: 0, delayed: 0, running: 0 })
  })
})

describe('a message whose handler rejects', () => {
  it('waits a second, twice as long each time, and a minute at most', async () => {
    const { queue, clock, log } = opened()
    queue.start(() => {
      throw new Error('no')
    })
    await queue.send([normal('a')])
    await turns()
    for (let n = 0; n < 8; n += 1) {
      clock.advance(60_000)
      await turns()
    }
    const waits = log.entries.map(({ fields }) => fields.retryInMs)
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
    expect(log.entries[0]).toMatchObject({ level: 'warn', fields: { body: 'a', receives: 1, error: 'no' } })
  })

  it('comes no earlier than its wait', async () => {
    const { queue, clock } = opened()
    let receives = 0
    queue.start(async (delivery) => {
      receives = delivery.receives
      throw new Error('no')
    })
    await queue.send([normal('a')])
    await turns()
    clock.advance(999)
    await turns()
    expect(receives).toBe(1)
    clock.advance(1)
    await turns()
    expect(receives).toBe(2)
  })

  it('keeps its place before what was sent after it', async () => {
    const { queue, clock } = opened({ concurrency: 1 })
    const got: string[] = []
    queue.start(async ({ body, receives }) => {
      got.push(body)
      if (receives === 1) throw new Error('no')
    })
    await queue.send([normal('a'), normal('b')])
    await turns()
    const draining = queue.drain()
    await queue.send([normal('c')])
    await draining
    clock.advance(1_000)
    queue.start(async ({ body }) => void got.push(body))
    await turns()
    expect(got).toEqual(['a', 'b', 'a', 'b', 'c'])
  })
})

describe('delays', () => {
  it('share one timer, and none is left when nothing is delayed', async () => {
    const { queue, clock } = opened()
    const got: string[] = []
    queue.start(async ({ body }) => void got.push(body))
    await queue.send(Array.from({ length: 1_000 }, (_, n) => normal(`${n}`, ((n * 7_919) % 1_000) + 1)))
    expect(clock.pending).toBe(1)
    expect(queue.depth()).toEqual({ ready: 0, delayed: 1_000, running: 0 })
    clock.advance(500)
    expect(clock.pending).toBe(1)
    expect(queue.depth()).toMatchObject({ ready: 500, delayed: 500 })
    clock.advance(500)
    await turns()
    for (let n = 0; n < 100; n += 1) await turn()
    expect(clock.pending).toBe(0)
    expect(got).toHaveLength(1_000)
  })

  it.each([
    [10, 1_000],
    [1_000, 10],
  ])('of %i and then %i ms both end on time', async (one, other) => {
    const { queue, clock } = opened()
    await queue.send([normal('one', one), normal('other', other)])
    clock.advance(10)
    expect(queue.depth()).toMatchObject({ ready: 1, delayed: 1 })
    clock.advance(990)
    expect(queue.depth()).toMatchObject({ ready: 2, delayed: 0 })
  })

  it('do not notice that the wall clock is set', async () => {
    const { queue, clock } = opened()
    const got: string[] = []
    queue.start(async ({ body }) => void got.push(body))
    await queue.send([normal('a', 1_000)])
    clock.setWall(clock.now() + 7_200_000)
    clock.advance(999)
    await turns()
    expect(got).toEqual([])
    clock.setWall(clock.now() - 14_400_000)
    clock.advance(1)
    await turns()
    expect(got).toEqual(['a'])
  })

  it('may be longer than a timer of the system can be', async () => {
    const queue = createMemoryQueue<string>({ clock: createClock(), log: createFakeLog(), concurrency: 1 })
    const got: string[] = []
    queue.start(async ({ body }) => void got.push(body))
    await queue.send([normal('next month', 2 ** 31 + 1), normal('now')])
    while (got.length === 0) await turns()
    await turns()
    expect(got).toEqual(['now'])
  })
})

describe('the depth', () => {
  it('tells what waits, what is delayed and what runs', async () => {
    const { queue } = opened({ concurrency: 2 })
    queue.start(() => Promise.withResolvers<void>().promise)
    await queue.send([normal('a'), normal('b'), normal('c'), normal('d', 5)])
    await turns()
    expect(queue.depth()).toEqual({ ready: 1, delayed: 1, running: 2 })
  })

  it('is a million without trouble', async () => {
    const { queue } = opened({ concurrency: 1_000 })
    const batch = Array.from({ length: 1_000 }, (_, n) => normal(`${n}`))
    for (let n = 0; n < 1_000; n += 1) await queue.send(batch)
    expect(queue.depth().ready).toBe(1_000_000)
    let handled = 0
    await new Promise<void>((resolve) => {
      queue.start(async () => {
        handled += 1
        if (handled === 1_000_000) resolve()
      })
    })
    await queue.drain()
    expect(queue.depth()).toEqual({ ready: 0, delayed: 0, running: 0 })
  })
})

describe('starting', () => {
  it('is refused while the queue is still being drained', async () => {
    const { queue } = opened()
    const handling = Promise.withResolvers<void>()
    queue.start(() => handling.promise)
    await queue.send([normal('a')])
    await turns()
    const draining = queue.drain()
    expect(() => queue.start(async () => undefined)).toThrow('still being drained')
    handling.resolve()
    await draining
    queue.start(async () => undefined)
    expect(queue.running).toBe(true)
  })
})

describe('a queue whose concurrency changes', () => {
  const held = () => {
    const { queue } = opened({ concurrency: 1 })
    const open: (() => void)[] = []
    const got: string[] = []
    queue.start(({ body }) => {
      got.push(body)
      return new Promise((resolve) => open.push(resolve))
    })
    return { queue, open, got }
  }

  it('takes more messages at once when there may be more', async () => {
    const { queue, got } = held()
    await queue.send([normal('a'), normal('b'), normal('c')])
    await turns()
    expect(got).toEqual(['a'])
    queue.resize(3)
    await turns()
    expect(got).toEqual(['a', 'b', 'c'])
    expect(queue.concurrency).toBe(3)
  })

  it('lets those that run end first when there may be fewer', async () => {
    const { queue, open, got } = held()
    queue.resize(2)
    await queue.send([normal('a'), normal('b'), normal('c')])
    await turns()
    queue.resize(1)
    open[0]?.()
    await turns()
    expect(got).toEqual(['a', 'b'])
    open[1]?.()
    await turns()
    expect(got).toEqual(['a', 'b', 'c'])
  })
})
