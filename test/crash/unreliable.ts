import type { IncomingMessage } from 'node:http'
import { FATES, startProxy } from '../adapters/aws/proxy.ts'

type Faults = { share: number; random: () => number }

/**
 * Counts the calls of each operation, which the SDK names. To SQS the service itself repeats what was not taken, and
 * nothing tells a repetition from a tick that sends the same message anew: test/adapters/sqs counts those.
 */
const createOperations = () => {
  const calls = new Map<unknown, number>()
  let most = 0
  return {
    hear: ({ headers }: IncomingMessage): void => {
      if (String(headers['x-amz-target'] ?? '').startsWith('AmazonSQS')) return
      const name = headers['amz-sdk-invocation-id']
      // Streams are read without the SDK, as Lambda reads them.
      if (name === undefined) return
      const n = (calls.get(name) ?? 0) + 1
      calls.set(name, n)
      most = Math.max(most, n)
    },
    most: () => most,
  }
}

/** The ways to the emulators of AWS, on which a share of all calls fails, from the first to the last. */
export const openUnreliable = ({ share, random }: Faults) => {
  const ways = new Map<string, ReturnType<typeof startProxy>>()
  const operations = createOperations()
  const told = { calls: 0, failed: 0 }
  const open = (origin: string) =>
    startProxy(origin, (incoming) => {
      told.calls += 1
      operations.hear(incoming)
      if (random() >= share) return undefined
      told.failed += 1
      return FATES[Math.floor(random() * FATES.length)]
    })
  /** The address to call instead of an emulator's own. */
  const reach = async (origin: string): Promise<string> => {
    const way = ways.get(origin) ?? open(origin)
    ways.set(origin, way)
    return (await way).url
  }
  return {
    reach,
    told,
    /** The most calls that one operation took. */
    mostCalls: operations.most,
    [Symbol.asyncDispose]: async () => {
      for (const way of ways.values()) (await way).stop()
    },
  }
}
