import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { Problem } from '../../../core/errors.ts'
import type { Key } from '../../../ports/store.ts'
import { asUnavailable, errorName } from '../failure.ts'
import { type Item, keyItem, metadata } from './item.ts'
import type { Plan } from './plan.ts'
import type { Request } from './request.ts'

const CODE = 'storage_unavailable'
const WHAT = 'Storage'
const TOO_LARGE = /item size/i
const WRONG_TYPE = /incorrect data type/i

/** Numbers are those of JSON: doubles, written as JavaScript prints them. */
const NUMBERS = { wrapNumbers: Number }

/** The document client of a client: attributes are plain values. */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { allowImpreciseNumbers: true },
    unmarshallOptions: { ...NUMBERS },
  })

/** An item of an error or a stream as plain values. */
export const plainItem = (marshalled: Record<string, AttributeValue>): Item => unmarshall(marshalled, NUMBERS)

/** Converts an error to the port's Problem. */
export const asProblem = (thrown: unknown): unknown => {
  if (errorName(thrown) !== 'ValidationException') return asUnavailable(thrown, CODE, WHAT)
  const { message } = thrown as Error
  if (WRONG_TYPE.test(message))
    return new TypeError('What is not a number cannot be added to', { cause: thrown })
  if (!TOO_LARGE.test(message)) return thrown
  return new Problem('too_large', 'row_too_large', 'The row is larger than the 400 kB that DynamoDB takes', {
    cause: thrown,
  })
}

export const storageUnavailable = (why: string, cause?: unknown) =>
  new Problem('unavailable', CODE, `${WHAT} is unavailable: ${why}.`, { cause })

/** The error for too many concurrent writes of a row. */
export const contended = () => storageUnavailable('too many write the same row')

/**
 * The outcome of a write. `item` is the item `before` an applied write, the one it `left`, or the one stored `now`: the
 * one that failed the condition, or later writes over an applied write that was repeated.
 */
export type Written = { applied: boolean; item: Item | undefined; state: 'before' | 'left' | 'now' }
type Sent = {
  request: Request
  token: string
  /** An update answers the item after it, or with `before` the item before it. */
  before?: boolean
  /** Whether the item that failed the condition proves the write; `isRepeated` when the SDK repeated it. */
  isProof?: (item: Item, isRepeated: boolean) => boolean | Promise<boolean>
}

/** DynamoDB's error of a failed condition. */
type Refusal = Error & { Item?: Record<string, AttributeValue>; $metadata?: { attempts?: number } }
export const isRefusal = (thrown: unknown): thrown is Refusal =>
  errorName(thrown) === 'ConditionalCheckFailedException'

const CONFLICT = 'TransactionConflictException'
const CONFLICT_WAITS_MS = [5, 10, 20, 40, 80, 160, 320]

/** Reads and conditional writes of single items. `wait` waits between tries. */
export const connect = (dynamoDb: DynamoDBClient, wait: (ms: number) => Promise<void>) => {
  const client = documentClient(dynamoDb)

  const calling = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (thrown) {
      throw asProblem(thrown)
    }
  }

  const get = (plan: Plan, key: Key): Promise<Item | undefined> => {
    const request = { TableName: plan.table, Key: keyItem(plan, key), ConsistentRead: true }
    return calling(async () => (await client.send(new GetCommand(request))).Item)
  }

  const send = async ({ request, before }: Sent): Promise<Written> => {
    const written = (item: Item | undefined, state: Written['state']) => ({ applied: true, item, state })
    if ('Put' in request) {
      const { Attributes } = await client.send(new PutCommand({ ...request.Put, ReturnValues: 'ALL_OLD' }))
      return written(Attributes, 'before')
    }
    if ('Delete' in request) {
      const command = new DeleteCommand({ ...request.Delete, ReturnValues: 'ALL_OLD' })
      return written((await client.send(command)).Attributes, 'before')
    }
    const ReturnValues = before === true ? 'ALL_OLD' : 'ALL_NEW'
    const { Attributes } = await client.send(new UpdateCommand({ ...request.Update, ReturnValues }))
    return written(Attributes, before === true ? 'before' : 'left')
  }

  /** An item in a running transaction refuses every other write for that time. */
  const sendAgain = async (sent: Sent): Promise<Written> => {
    for (const ms of CONFLICT_WAITS_MS) {
      try {
        return await send(sent)
      } catch (thrown) {
        if (errorName(thrown) !== CONFLICT) throw thrown
        await wait(ms)
      }
    }
    return send(sent)
  }

  /**
   * One conditional write. The SDK repeats a request whose answer was lost, and the repeat then fails on the first one's
   * write; the item's token proves the first write, and after later writes its log entry does. A removal leaves neither,
   * so a repeated removal of a missing item is uncertain.
   */
  const write = async (sent: Sent): Promise<Written> => {
    try {
      return await sendAgain(sent)
    } catch (thrown) {
      if (!isRefusal(thrown)) throw asProblem(thrown)
      return refused(sent, thrown)
    }
  }

  const refused = async ({ request, token, isProof }: Sent, refusal: Refusal): Promise<Written> => {
    const item = refusal.Item && plainItem(refusal.Item)
    const isRepeated = (refusal.$metadata?.attempts ?? 1) > 1
    if (item === undefined && 'Delete' in request && isRepeated)
      throw storageUnavailable('the outcome of a write is not known', refusal)
    if (item === undefined) return { applied: false, item, state: 'now' }
    if (metadata(item).token === token) return { applied: true, item, state: 'left' }
    return { applied: (await isProof?.(item, isRepeated)) ?? false, item, state: 'now' }
  }

  return { client, calling, get, write, wait }
}
export type Connection = ReturnType<typeof connect>

/** The pages of a query, each read when it is needed. */
export async function* queryPages(
  { client, calling }: Pick<Connection, 'client' | 'calling'>,
  input: QueryCommandInput,
): AsyncGenerator<QueryCommandOutput> {
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey']
  do {
    const command = new QueryCommand({ ...input, ExclusiveStartKey })
    const page = await calling(() => client.send(command))
    yield page
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
}
