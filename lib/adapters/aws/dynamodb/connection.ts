import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { Problem } from '../../../core/errors.ts'
import type { Key } from '../../../ports/store.ts'
import { asUnavailable, nameOf } from '../failure.ts'
import { keyItem } from './item.ts'
import { type Plan, TOKEN } from './plan.ts'
import type { Request } from './request.ts'
import type { Item } from './value.ts'

const CODE = 'storage_unavailable'
const WHAT = 'Storage'
const TOO_LARGE = /item size/i
const WRONG_TYPE = /incorrect data type/i

/** The error as the port promises it. */
export const asProblem = (thrown: unknown): unknown => {
  if (nameOf(thrown) !== 'ValidationException') return asUnavailable(thrown, CODE, WHAT)
  const { message } = thrown as Error
  if (WRONG_TYPE.test(message))
    return new TypeError('What is not a number cannot be added to', { cause: thrown })
  if (!TOO_LARGE.test(message)) return thrown
  return new Problem('too_large', 'row_too_large', 'The row is larger than the 400 kB that DynamoDB takes', {
    cause: thrown,
  })
}

/** Nobody can tell what became of a write. */
export const uncertain = (cause?: unknown) =>
  new Problem('unavailable', CODE, `${WHAT} is unavailable: the outcome of a write is not known.`, { cause })

/**
 * How a write went. `item` is what stood in the way of one that was not applied; else what was there before, or after
 * when it bears the token of the write.
 */
export type Written = { applied: boolean; item: Item | undefined }
/** An update answers what is there after it, or with `before` what was there. */
export type Sent = { request: Request; plan: Plan; key: Key; token: string; before?: boolean }

/** What DynamoDB says of a condition that failed. */
type Refusal = Error & { Item?: Item; $metadata?: { attempts?: number } }
const isRefusal = (thrown: unknown): thrown is Refusal => nameOf(thrown) === 'ConditionalCheckFailedException'

const CONFLICT = 'TransactionConflictException'
const CONFLICT_WAITS_MS = [5, 10, 20, 40, 80, 160, 320]

/** Single items: read, and written on a condition. `wait` passes the time between tries. */
export const connect = (client: DynamoDBClient, wait: (ms: number) => Promise<void>) => {
  const calling = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (thrown) {
      throw asProblem(thrown)
    }
  }

  const getItem = (TableName: string, Key: Item): Promise<Item | undefined> =>
    calling(
      async () => (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item,
    )

  /** The item as the last write left it. */
  const get = async (plan: Plan, key: Key): Promise<Item | undefined> =>
    getItem(plan.table, keyItem(plan, key))

  const send = async ({ request, before }: Sent): Promise<Item | undefined> => {
    if ('Put' in request)
      return (await client.send(new PutItemCommand({ ...request.Put, ReturnValues: 'ALL_OLD' }))).Attributes
    if ('Delete' in request)
      return (await client.send(new DeleteItemCommand({ ...request.Delete, ReturnValues: 'ALL_OLD' })))
        .Attributes
    const ReturnValues = before === true ? 'ALL_OLD' : 'ALL_NEW'
    return (await client.send(new UpdateItemCommand({ ...request.Update, ReturnValues }))).Attributes
  }

  /** An item that is in a transaction under way refuses every other write for that long. */
  const sendAgain = async (sent: Sent): Promise<Item | undefined> => {
    for (const ms of CONFLICT_WAITS_MS) {
      try {
        return await send(sent)
      } catch (thrown) {
        if (nameOf(thrown) !== CONFLICT) throw thrown
        await wait(ms)
      }
    }
    return send(sent)
  }

  /**
   * One conditional write. The SDK repeats a request whose answer was lost, and the repetition then fails on what the
   * first one wrote; its token tells that. A removal leaves none, so a repeated one that finds nothing is uncertain.
   */
  const write = async (sent: Sent): Promise<Written> => {
    try {
      return { applied: true, item: await sendAgain(sent) }
    } catch (thrown) {
      if (!isRefusal(thrown)) throw asProblem(thrown)
      // Some emulators do not answer what stood in the way.
      const item = thrown.Item ?? (await get(sent.plan, sent.key))
      if (item === undefined && 'Delete' in sent.request && (thrown.$metadata?.attempts ?? 1) > 1)
        throw uncertain(thrown)
      return { applied: isOf(item, sent.token), item }
    }
  }

  return { client, calling, getItem, get, write, wait }
}
export type Connection = ReturnType<typeof connect>

/** Whether the item was left by the write of this token. */
export const isOf = (item: Item | undefined, token: string): boolean => item?.[TOKEN]?.S === token
