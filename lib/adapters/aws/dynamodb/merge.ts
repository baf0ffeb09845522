import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Connection } from './connection.ts'
import { compareBytes } from './order.ts'
import type { IndexPlan } from './plan.ts'
import type { Item } from './value.ts'

/** How many rows to ask for at first, and how that changes. */
export type Pace = { first: number; next: (size: number) => number }

/** The rows of one partition, a page at a time. */
const openReader = (connection: Connection, input: QueryCommandInput, { first, next }: Pace) => {
  let items: Item[] = []
  let at = 0
  let size = first
  let from: Item | undefined
  let isOver = false
  return {
    /** The next item, if one has been read. */
    get head(): Item | undefined {
      return items[at]
    },
    advance: (): void => {
      at += 1
    },
    /** Reads on until there is a next item or no more. */
    fill: async (): Promise<void> => {
      while (at >= items.length && !isOver) {
        const page = await connection.calling(() =>
          connection.client.send(new QueryCommand({ ...input, Limit: size, ExclusiveStartKey: from })),
        )
        items = page.Items ?? []
        at = 0
        size = next(size)
        from = page.LastEvaluatedKey
        isOver = from === undefined
      }
    },
  }
}
type Reader = ReturnType<typeof openReader>

/** Items of all partitions in one order; each partition is read as far as it is needed. */
export async function* merged(
  connection: Connection,
  inputs: readonly QueryCommandInput[],
  { s }: IndexPlan,
  order: 'asc' | 'desc',
  pace: Pace,
): AsyncGenerator<Item> {
  const sign = order === 'asc' ? 1 : -1
  const readers = inputs.map((input) => openReader(connection, input, pace))
  await Promise.all(readers.map((reader) => reader.fill()))
  const placeOf = ({ head }: Reader) => head?.[s]?.S ?? ''
  for (;;) {
    const [first, ...others] = readers.filter(({ head }) => head !== undefined)
    if (first === undefined) return
    const best = others.reduce((a, b) => (sign * compareBytes(placeOf(b), placeOf(a)) < 0 ? b : a), first)
    if (best.head !== undefined) yield best.head
    best.advance()
    await best.fill()
  }
}
