import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Change, Collection, Increment, LiveDraft, Message } from '../../../core/collection.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { asProblem, contended, documentClient, isRefusal, plainItem } from './connection.ts'
import {
  COUNTER,
  type CounterKey,
  incrementSums,
  isAdded,
  joined,
  MEMBER,
  newsTo,
  type Sums,
} from './counters.ts'
import { createTerms, createUpdate, type Terms } from './expressions.ts'
import type { Fields, Item } from './item.ts'
import { COUNTERS, type Plan, type TableName, tablePlan } from './plan.ts'
import { type DynamoDBStreamEvent, isAfter, recordChanges, type StreamRecord, streamTable } from './stream.ts'

type Needs = {
  client: DynamoDBClient
  collections: readonly Collection[]
  clock: Pick<Clock, 'now'>
  tableName: TableName
  /** Sends messages, or rejects. Messages of a call that rejected are sent again. */
  deliver: (messages: readonly Message[]) => Promise<void>
  /** Receives the live events of changes, and never rejects. Without it they are not published. */
  publish?: (drafts: readonly LiveDraft[]) => Promise<void>
  log: Pick<Log, 'error'>
}

/** The answer to Lambda. A mapping with a tumbling window fails without `state`. */
type StreamAnswer = { batchItemFailures: { itemIdentifier: string }[]; state: Record<string, never> }

type Consequences = {
  collection: string
  sequence: string
  at: number
  increments: readonly Increment[]
  messages: readonly Message[]
  drafts: readonly LiveDraft[]
}
type Counted = { sequence: string; at: number; sums: Sums }
type Streamed = { plan: Plan; of: Collection<Fields> }

const SEPARATOR = '@'
/**
 * A watermark: the position up to which a counter item has counted the records of a shard. The attribute
 * `@<collection>/<shard>` has the sequence number of the last record, and the second of its write.
 */
const watermarkName = (table: string, shardId: string) =>
  `${SEPARATOR}${table}/${shardId.replace(/^shardId-0*/, '')}`
const watermarkText = ({ sequence, at }: Counted) => `${sequence}${SEPARATOR}${at}`
const sequenceIn = (watermark: unknown): string => String(watermark ?? '').split(SEPARATOR, 1)[0] ?? ''
const secondIn = (watermark: unknown): number => Number(String(watermark).split(SEPARATOR)[1])

/** A stream keeps records for 24 hours; after that no record before a watermark can come again. */
const WATERMARK_SECONDS = 25 * 3_600
/** Other writers of a counter: consumers of other shards, and one that was assumed dead. */
const MOST_TRIES = 20
const AT_ONCE = 16
/** Cached counter items, which are written without a read. */
const MOST_KNOWN = 2_000

/** Updates a counter item by the sums of records after its watermark, on condition that the watermark is unchanged. */
const counterUpdate = (item: Item, sums: Sums, watermark: string, last: Counted, now: number) => {
  const terms = createTerms()
  const update = createUpdate(terms)
  const unchanged = [unchangedIn(item, watermark, terms)]
  for (const [name, value] of newsTo(item, sums)) {
    if (isAdded(name)) update.add(name, value)
    else {
      update.put(name, value)
      unchanged.push(unchangedIn(item, name, terms))
    }
  }
  update.put(watermark, watermarkText(last))
  for (const [name, value] of Object.entries(item))
    if (name.startsWith(SEPARATOR) && name !== watermark && secondIn(value) < now / 1_000 - WATERMARK_SECONDS)
      update.put(name, undefined)
  return {
    UpdateExpression: update.text(),
    ConditionExpression: unchanged.join(' AND '),
    ...terms.attributes(),
  }
}

const unchangedIn = (item: Item, attribute: string, terms: Terms): string => {
  const name = terms.name(attribute)
  const stored = item[attribute]
  return stored === undefined ? `attribute_not_exists(${name})` : `${name} = ${terms.value(stored)}`
}

/**
 * Handles the changes in a DynamoDB stream: first messages, then counters, then live events. Messages go first, since a
 * task waits for its start and not for a counter; a repeated message is a duplicate, which every receiver tolerates.
 * Counters count each record once, however often deliveries repeat and batches are split: each item has a watermark per
 * shard.
 *
 * A batch fails from the failed record on; earlier records are done. When the first record fails the whole batch fails;
 * Lambda then halves it (`BisectBatchOnFunctionError`) until the failing record is alone.
 */
export const createChangeConsumer = ({
  client,
  collections,
  clock,
  tableName,
  deliver,
  publish,
  log,
}: Needs) => {
  const documents = documentClient(client)
  const TableName = tableName({ name: COUNTERS })
  const byTable = new Map(
    collections.map((of): [string, Streamed] => {
      const plan = tablePlan(of, tableName)
      return [plan.table, { plan, of: of as unknown as Collection<Fields> }]
    }),
  )
  const cachedItems = new Map<string, Item>()

  const remember = (name: string, item: Item) => {
    if (cachedItems.size >= MOST_KNOWN) cachedItems.clear()
    cachedItems.set(name, item)
  }

  const readItem = async (name: string): Promise<Item> => {
    const request = { TableName, Key: JSON.parse(name), ConsistentRead: true }
    return (await documents.send(new GetCommand(request))).Item ?? {}
  }

  /** Whether the item was updated, on condition that it equals the cached one. */
  const update = async (name: string, changes: ReturnType<typeof counterUpdate>): Promise<boolean> => {
    const Key: CounterKey = JSON.parse(name)
    const request = { TableName, Key, ...changes, ReturnValues: 'ALL_NEW' } as const
    try {
      const { Attributes = {} } = await documents.send(
        new UpdateCommand({ ...request, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      )
      remember(name, Attributes)
      return true
    } catch (thrown) {
      // After a lost answer it is unknown whether the write took place.
      cachedItems.delete(name)
      if (!isRefusal(thrown)) throw asProblem(thrown)
      if (thrown.Item !== undefined) remember(name, plainItem(thrown.Item))
      return false
    }
  }

  const count = async (name: string, watermark: string, records: readonly Counted[]): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const item = cachedItems.get(name) ?? (await readItem(name))
      const due = records.filter(({ sequence }) => isAfter(sequence, sequenceIn(item[watermark])))
      const last = due.at(-1)
      if (last === undefined) return
      const sums = joined(due.map((one) => one.sums))
      if (await update(name, counterUpdate(item, sums, watermark, last, clock.now()))) return
    }
    throw contended()
  }

  /** The records of each counter item, in their order, by the item's key as JSON. */
  const byItem = (all: readonly Consequences[]): Map<string, Counted[]> =>
    Map.groupBy(
      all.flatMap(({ sequence, at, increments }) =>
        increments.map((increment) => ({ sequence, at, increment, sums: incrementSums(increment) })),
      ),
      ({ increment: { counter, member } }) => JSON.stringify({ [COUNTER]: counter, [MEMBER]: member }),
    )

  const countAll = async (shardId: string, all: readonly Consequences[]): Promise<void> => {
    const waiting = byItem(all).entries()
    const watermark = watermarkName(all[0]?.collection ?? '', shardId)
    const work = async () => {
      for (const [name, records] of waiting) await count(name, watermark, records)
    }
    const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
    const failed = done.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  /** Throws for a record that cannot be read. */
  const consequences = (record: StreamRecord): Consequences => {
    const table = streamTable(record.eventSourceARN)
    const streamed = byTable.get(table)
    const { SequenceNumber: sequence, ApproximateCreationDateTime: at = clock.now() / 1_000 } =
      record.dynamodb ?? {}
    if (streamed === undefined || sequence === undefined)
      throw new Error(`No collection is in the table ${table}`)
    const { plan, of } = streamed
    const changes: Change<Fields>[] = recordChanges(plan, record)
    const increments = changes.flatMap((change) => of.counts?.(change) ?? [])
    for (const increment of increments) incrementSums(increment)
    const messages = changes.flatMap((change) => of.sends?.(change) ?? [])
    const drafts = changes.flatMap((change) => of.publishes?.(change) ?? [])
    return { collection: of.name, sequence, at: Math.floor(at), increments, messages, drafts }
  }

  /** The consequences of the records before the first unreadable one, and its error. */
  const foreseen = (records: readonly StreamRecord[]) => {
    const all: Consequences[] = []
    for (const record of records) {
      try {
        all.push(consequences(record))
      } catch (thrown) {
        return { all, failed: { thrown, what: 'a record of a stream cannot be processed' } }
      }
    }
    return { all, failed: undefined }
  }

  /** Sends all messages together. When it fails, the failed one is unknown, so the first record fails. */
  const delivered = async (all: readonly Consequences[]) => {
    const messages = all.flatMap((one) => one.messages)
    try {
      if (messages.length > 0) await deliver(messages)
      return { done: all, failed: undefined }
    } catch (thrown) {
      const first = all.findIndex((one) => one.messages.length > 0)
      return { done: all.slice(0, first), failed: { thrown, what: 'messages were not taken' } }
    }
  }

  return async ({ Records, shardId }: DynamoDBStreamEvent): Promise<StreamAnswer> => {
    if (Records.length === 0) return { batchItemFailures: [], state: {} }
    if (shardId === undefined)
      throw new Error('The event names no shard: its mapping needs a tumbling window')
    const { all, failed: unreadable } = foreseen(Records)
    const { done, failed: refused } = await delivered(all)
    await countAll(shardId, done)
    // The counters are right when a reader of the live event reads them.
    await publish?.(done.flatMap(({ drafts }) => drafts))
    const failed = refused ?? unreadable
    if (failed === undefined) return { batchItemFailures: [], state: {} }
    const { eventSourceARN, dynamodb } = Records[done.length] ?? {}
    const sequence = dynamodb?.SequenceNumber ?? ''
    log.error(
      { table: streamTable(eventSourceARN), shardId, sequence, reason: errorMessage(failed.thrown) },
      failed.what,
    )
    if (done.length === 0) throw failed.thrown
    return { batchItemFailures: [{ itemIdentifier: sequence }], state: {} }
  }
}
export type ChangeConsumer = ReturnType<typeof createChangeConsumer>
