import { QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Tally, Totals } from '../../../ports/store.ts'
import { nameOf } from '../failure.ts'
import { asProblem, type Connection, isOf } from './connection.ts'
import {
  extremesOf,
  GROUP,
  joined,
  MEMBER,
  memberKey,
  newsTo,
  type Sums,
  sumsOf,
  tallyUpdate,
  totalsOf,
} from './tally-item.ts'
import type { Item } from './value.ts'

/** Items of one total; an item takes 1,000 writes a second. A process writes to one of them. */
const SHARDS = 4
/** Totals whose extremes are remembered. */
const MOST_KNOWN = 1_000

type Needs = { connection: Connection; table: string; random: () => number; newToken: () => string }
/** The totals of one member: what is being written, and what came up in the meantime. */
type Lane = { waiting: Sums | undefined; next: PromiseWithResolvers<void> }
type Key = { [GROUP]: { S: string }; [MEMBER]: { S: string } }

/**
 * Running totals. Those of one commit, and of all commits that come while an item is being written, are one write of
 * that item. Writes of one process to an item are one after the other, so that a repeated request finds its own token.
 */
export const createTallies = ({ connection, table, random, newToken }: Needs) => {
  const shard = Math.floor(random() * SHARDS)
  const lanes = new Map<string, Lane>()
  const known = new Map<string, Sums>()

  const remember = (name: string, item: Item | undefined) => {
    const extremes = extremesOf(item)
    if (extremes.size === 0) return
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(name, extremes)
  }

  const update = async (name: string, Key: Key, sums: Sums, token: string): Promise<void> => {
    const news = newsTo(known.get(name), sums)
    // Extremes alone that beat nothing: the member has them already.
    if (news.size === 0) return
    const request = {
      TableName: table,
      Key,
      ...tallyUpdate(news, token),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const
    try {
      const { Attributes } = await connection.client.send(new UpdateItemCommand(request))
      remember(name, Attributes)
    } catch (thrown) {
      if (nameOf(thrown) !== 'ConditionalCheckFailedException') throw asProblem(thrown)
      const item = (thrown as { Item?: Item }).Item ?? (await connection.getItem(table, Key))
      remember(name, item)
      if (!isOf(item, token)) await update(name, Key, sums, token)
    }
  }

  const drain = async (name: string, key: Key, lane: Lane): Promise<void> => {
    for (let sums = lane.waiting; sums !== undefined; sums = lane.waiting) {
      const { resolve, reject } = lane.next
      lane.waiting = undefined
      lane.next = Promise.withResolvers()
      await update(name, key, sums, newToken()).then(resolve, reject)
    }
    lanes.delete(name)
  }

  const take = (name: string, { tally: group, member }: Tally, sums: Sums): Promise<void> => {
    const lane = lanes.get(name)
    if (lane !== undefined) {
      lane.waiting = lane.waiting === undefined ? sums : joined(lane.waiting, sums)
      return lane.next.promise
    }
    const opened: Lane = { waiting: sums, next: Promise.withResolvers() }
    lanes.set(name, opened)
    const { promise } = opened.next
    void drain(name, { [GROUP]: { S: group }, [MEMBER]: { S: memberKey(member, shard) } }, opened)
    return promise
  }

  return {
    /** Throws TypeError for a tally that cannot be taken. */
    check: (tally: Tally): void => void sumsOf(tally),
    take: async (tallies: readonly Tally[]): Promise<void> => {
      const named = new Map<string, { tally: Tally; sums: Sums }>()
      for (const tally of tallies) {
        const name = nameOfTotal(tally)
        const before = named.get(name)?.sums
        const sums = sumsOf(tally)
        named.set(name, { tally, sums: before === undefined ? sums : joined(before, sums) })
      }
      await Promise.all([...named].map(([name, { tally, sums }]) => take(name, tally, sums)))
    },
    totals: async (group: string, from: string): Promise<Record<string, Totals>> => {
      const items: Item[] = []
      let ExclusiveStartKey: Item | undefined
      do {
        const page = await connection.calling(() =>
          connection.client.send(new QueryCommand({ ...totalsQuery(table, group, from), ExclusiveStartKey })),
        )
        items.push(...(page.Items ?? []))
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined)
      return totalsOf(items, from)
    },
  }
}
export type Tallies = ReturnType<typeof createTallies>

const nameOfTotal = ({ tally, member }: Tally) => `${tally}\0${member}`

const totalsQuery = (TableName: string, group: string, from: string) => ({
  TableName,
  ConsistentRead: true,
  KeyConditionExpression: from === '' ? '#g = :g' : '#g = :g AND #m >= :m',
  ExpressionAttributeNames: { '#g': GROUP, ...(from === '' ? {} : { '#m': MEMBER }) },
  ExpressionAttributeValues: { ':g': { S: group }, ...(from === '' ? {} : { ':m': { S: from } }) },
})
