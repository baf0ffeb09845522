import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Change } from '../../../core/collection.ts'
import { plainItem } from './connection.ts'
import { blobName, type Fields, type Item, metadata, toRow } from './item.ts'
import { parsedEntry } from './log.ts'
import type { Plan } from './plan.ts'

type Image = Record<string, AttributeValue>

/** The fields of a DynamoDB stream's record that are read here. */
export type StreamRecord = {
  eventID?: string
  eventName?: 'INSERT' | 'MODIFY' | 'REMOVE'
  /** `arn:aws:dynamodb:<region>:<account>:table/<table>/stream/<time>` */
  eventSourceARN?: string
  dynamodb?: {
    NewImage?: Image
    OldImage?: Image
    SequenceNumber?: string
    /** Epoch seconds. */
    ApproximateCreationDateTime?: number
  }
}

/**
 * A batch of records of one shard, in their order. Lambda names the shard only where the event source mapping has a
 * tumbling window (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html); the end of a window comes as a
 * batch without records.
 */
export type DynamoDBStreamEvent = { Records: readonly StreamRecord[]; shardId?: string }

export const streamTable = (arn = ''): string => /:table\/([^/]+)\/stream\//.exec(arn)?.[1] ?? ''

/** Sequence numbers are decimal texts of different lengths. */
const DIGITS = 40
export const isAfter = (sequence: string, other: string): boolean =>
  sequence.padStart(DIGITS, '0') > other.padStart(DIGITS, '0')

/** The fields of an image that `counts` and `sends` may read: no detail, and no offloaded value. */
const readableSummary = ({ detail }: Plan, item: Item | undefined): Fields | undefined =>
  item &&
  Object.fromEntries(
    Object.entries(toRow(item)).filter(
      ([field, value]) => !detail.has(field) && blobName(value) === undefined,
    ),
  )

const NOTHING: Item = {}

/** The changes in a record: none when log entries were spilled, two for an insert over an expired row. */
export const recordChanges = (plan: Plan, { dynamodb = {} }: StreamRecord): Change<Fields>[] => {
  const { OldImage, NewImage } = dynamodb
  const old = OldImage && plainItem(OldImage)
  const now = NewImage && plainItem(NewImage)
  const [was, is] = [metadata(old ?? NOTHING), metadata(now ?? NOTHING)]
  const before = readableSummary(plan, old)
  const after = readableSummary(plan, now)
  if (before !== undefined && after !== undefined && was.born !== is.born)
    return [
      { before, after: undefined, log: [] },
      { before: undefined, after, log: is.log.map(parsedEntry) },
    ]
  if (is.born === was.born && now !== undefined && is.log.length < was.log.length) return []
  const oldEntries = new Set(was.log)
  return [{ before, after, log: is.log.filter((text) => !oldEntries.has(text)).map(parsedEntry) }]
}
