import type { IncomingMessage } from 'node:http'
import { FATES, startProxy } from '../adapters/aws/proxy.ts'

type Faults = { share: number; random: () => number }

/** Longer than the waits between the tries of one operation, and shorter than until anybody begins it anew. */
const NEXT_OPERATION_MS = 4_000
const POLLS = /ReceiveMessage|GetQueue|DeleteMessage/

/**
 * Counts the calls of each operation. Those of the SDK name theirs; to SQS the service itself repeats what was not
 * taken, so there the same text within moments is the same operation. A poller asks the same again for ever.
 */
const createOperations = () => {
  const calls = new Map<string, { calls: number; at: number }>()
  const nameOf = ({ headers }: IncomingMessage, body: Buffer): string | undefined => {
    const target = String(headers['x-amz-target'] ?? '')
    if (!target.startsWith('AmazonSQS')) return String(headers['amz-sdk-invocation-id'])
    return POLLS.test(target) ? undefined : `${target} ${body}`
  }
  let most = 0
  return {
    hear: (incoming: IncomingMessage, body: Buffer): void => {
      const name = nameOf(incoming, body)
      if (name === undefined) return
      const at = performance.now()
      const before = calls.get(name)
      const n = before !== undefined && at - before.at < NEXT_OPERATION_MS ? before.calls + 1 : 1
      calls.set(name, { calls: n, at })
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
    startProxy(origin, (incoming, body) => {
      told.calls += 1
      operations.hear(incoming, body)
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
