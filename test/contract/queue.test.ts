import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { type Message, queueContract } from './queue.ts'

/** Long enough for every handler that can start to have started. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

queueContract(
  'in memory',
  async ({ concurrency }) => {
    const clock = createFakeClock()
    const queue = createMemoryQueue<Message>({ clock, log: createFakeLog(), concurrency })
    return {
      queue,
      consumer: queue,
      async pass(ms) {
        await turns()
        clock.advance(ms)
        await turns()
      },
      close: async () => undefined,
    }
  },
  {
    lacks: {
      durability: 'its messages die with the process',
      refusal: 'there is nothing behind it that could fail',
    },
    delayMs: 60_000,
    redeliverMs: 60_000,
  },
)
