import { describe, expect, it } from '@jest/globals'
import { positionsAmong } from '../../lib/adapters/memory/positions.ts'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const PRIORITIES = [1, 2, 3, 4] as const
const OWNERS = ['ann', 'bob', 'cy', 'dan']
const LANES = ['x', 'y']
const ANY = () => true
const never = new AbortController().signal

/** Numbers that look random and are the same in each run. */
const createRandom = (seed: number) => {
  let state = seed
  return (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * most)
  }
}

describe('positions', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
    'are the order in which messages are taken: case %i',
    async (seed) => {
      const random = createRandom(seed)
      const queue = createMemoryQueue<string>({
        clock: createFakeClock(),
        log: createFakeLog(),
        concurrency: 1,
      })
      const handling = Promise.withResolvers<void>()
      queue.start(() => handling.promise)
      const send = (n: number) =>
        queue.send([
          {
            body: `${n}`,
            priority: PRIORITIES[random(4)] ?? 3,
            owner: OWNERS[random(1 + random(4))] ?? '',
            lane: LANES[random(2)] ?? '',
          },
        ])
      for (let n = 0; n < 15; n += 1) await send(n)
      await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
      // Some have had their turn before, so that not all owners are equal.
      for (let n = 0; n < random(6); n += 1) await queue.receive(ANY, never)
      for (let n = 15; n < 40; n += 1) await send(n)
      const positions = queue.positions(ANY) ?? new Map()
      const taken: (string | undefined)[] = []
      while (queue.depth().ready > 0) taken.push((await queue.receive(ANY, never))?.body)
      expect(taken.map((body = '') => positions.get(body))).toEqual(taken.map((_, n) => n + 1))
    },
  )

  it('of one message are found among ten thousand, each of which is read a few times', () => {
    let reads = 0
    const messages = Array.from({ length: 10_000 }, (_, order) => ({
      body: order,
      owner: `user${order % 7}`,
      order,
      get priority() {
        reads += 1
        return 3 as const
      },
    }))
    expect([
      ...positionsAmong(
        messages,
        (body) => body === 9_999,
        () => 0,
      ),
    ]).toEqual([[9_999, 10_000]])
    expect(reads).toBeLessThanOrEqual(50_000)
  })

  it('are those of a lane, where the worker does not take it', async () => {
    const queue = createMemoryQueue<string>({
      clock: createFakeClock(),
      log: createFakeLog(),
      concurrency: 1,
    })
    for (const [body = '', lane = ''] of ['ax', 'bx', 'cy', 'dz', 'ez'])
      await queue.send([{ body, lane, priority: 3 }])
    await queue.send([{ body: 'f', lane: 'x', priority: 3, delayMs: 9 }])
    expect([...(queue.positions((body) => ['b', 'c', 'e', 'f'].includes(body)) ?? [])]).toEqual([
      ['b', 2],
      ['c', 1],
      ['e', 2],
    ])
  })
})
