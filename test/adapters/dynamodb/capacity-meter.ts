import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** Consumed capacity units, and the number of requests. */
export type Capacity = { read: number; write: number; requests: number }

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand'])
const METERED = new Set([
  ...READS,
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
  'BatchWriteItemCommand',
  'TransactWriteItemsCommand',
])

type Answered = { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }

const consumedUnits = ({ ConsumedCapacity: consumed = [] }: Answered): number =>
  [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)

/** Makes a client request the cost of each call; the returned function answers the sum since its last call. */
export const meterCapacity = (client: DynamoDBClient): (() => Capacity) => {
  let capacity: Capacity = { read: 0, write: 0, requests: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!METERED.has(commandName)) return next(args)
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } })
        const kind = READS.has(commandName) ? 'read' : 'write'
        capacity.requests += 1
        capacity[kind] += consumedUnits(answer.output as Answered)
        return answer
      },
    { step: 'initialize', name: 'meterCapacity' },
  )
  return () => {
    const sum = capacity
    capacity = { read: 0, write: 0, requests: 0 }
    return sum
  }
}
