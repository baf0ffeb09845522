import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { compareBytes } from './order.ts'
import type { IndexPlan } from './plan.ts'

/**
 * How many rows to ask a partition for at first, and later, when it has no more, after `rows` of all partitions.
 * With `ahead`, the next page is requested before it is needed.
 */
export type Pace = { first: number; next: (size: number, rows: number) => number; ahead: boolean }

type Answer = { items: Item[]; from: Item | undefined }

/** The rows of one partition, page by page. */
const openReader = (connection: Connection, input: QueryCommandInput, { first, next, ahead }: Pace) => {
  let items: Item[] = []
  let at = 0
  let size: number | undefined
  let coming: Promise<Answer> | undefined
  let from: Item | undefined
  let isOver = false

  const ask = async (rows: number): Promise<Answer> => {
    size = size === undefined ? first : next(size, rows)
    const request = new QueryCommand({ ...input, Limit: size, ExclusiveStartKey: from })
    const { Items = [], LastEvaluatedKey } = await connection.calling(() => connection.client.send(request))
    return { items: Items, from: LastEvaluatedKey }
  }
  const askAhead = (rows: number) => {
    coming = ask(rows)
    // The next fill throws a rejection, and may never come.
    coming.catch(() => undefined)
  }

  return {
    /** The next item, if one has been read. */
    get head(): Item | undefined {
      return items[at]
    },
    advance: (): void => {
      at += 1
    },
    /** Reads until there is a next item or the end. */
    fill: async (rows: number): Promise<void> => {
      while (at >= items.length && !isOver) {
        const page = await (coming ?? ask(rows))
        coming = undefined
        items = page.items
        at = 0
        from = page.from
        isOver = from === undefined
        if (ahead && !isOver) askAhead(rows)
      }
    },
  }
}
type Reader = ReturnType<typeof openReader>

/** The items of all partitions in one order; each partition is read only as far as needed. */
export async function* merged(
  connection: Connection,
  inputs: readonly QueryCommandInput[],
  { s }: IndexPlan,
  order: 'asc' | 'desc',
  pace: Pace,
): AsyncGenerator<Item> {
  const sign = order === 'asc' ? 1 : -1
  const readers = inputs.map((input) => openReader(connection, input, pace))
  await Promise.all(readers.map((reader) => reader.fill(0)))
  const headPlace = ({ head }: Reader) => String(head?.[s] ?? '')
  let rows = 0
  for (;;) {
    const [first, ...others] = readers.filter(({ head }) => head !== undefined)
    if (first === undefined) return
    const best = others.reduce((a, b) => (sign * compareBytes(headPlace(b), headPlace(a)) < 0 ? b : a), first)
    if (best.head !== undefined) yield best.head
    rows += 1
    best.advance()
    await best.fill(rows)
  }
}
