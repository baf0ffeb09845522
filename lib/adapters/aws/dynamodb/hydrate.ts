import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import { type Connection, uncertain } from './connection.ts'
import { keyItem, keyOf } from './item.ts'
import type { Plan } from './plan.ts'
import type { Fields, Item } from './value.ts'

const MOST_KEYS = 100
const WAITS_MS = [10, 50, 250, 1_000]

/** One batch; what was not answered for its size or for lack of capacity is asked for again. */
const batch = async (
  connection: Connection,
  table: string,
  keys: Item[],
  ConsistentRead: boolean,
): Promise<Item[]> => {
  const found: Item[] = []
  let left = keys
  let barren = 0
  while (left.length > 0) {
    const request = { RequestItems: { [table]: { Keys: left, ConsistentRead } } }
    const answer = await connection.calling(() => connection.client.send(new BatchGetItemCommand(request)))
    const items = answer.Responses?.[table] ?? []
    found.push(...items)
    left = answer.UnprocessedKeys?.[table]?.Keys ?? []
    if (items.length > 0 || left.length === 0) barren = 0
    else {
      const ms = WAITS_MS[barren++]
      if (ms === undefined) throw uncertain()
      await connection.wait(ms)
    }
  }
  return found
}

const nameOf = ({ keys }: Plan, item: Item) => keys.map((key) => item[key]?.S).join('\0')

/**
 * The items of rows of which only a part is known, in their order; undefined for those that are gone. They are as they
 * are now, or for half the price as they were a moment ago.
 */
export const hydrate = async (
  connection: Connection,
  plan: Plan,
  rows: readonly Fields[],
  asOf: 'now' | 'lately' = 'now',
): Promise<(Item | undefined)[]> => {
  const keys = rows.map((row) => keyItem(plan, keyOf(plan, row)))
  const batches = Array.from({ length: Math.ceil(keys.length / MOST_KEYS) }, (_, at) =>
    keys.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS),
  )
  const found = await Promise.all(batches.map((some) => batch(connection, plan.table, some, asOf === 'now')))
  const byName = new Map(found.flat().map((item) => [nameOf(plan, item), item]))
  return keys.map((key) => byName.get(nameOf(plan, key)))
}
