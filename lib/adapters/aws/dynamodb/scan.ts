import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb'
import type { Connection } from './connection.ts'
import type { IndexPlan, Plan } from './plan.ts'
import { createTerms } from './terms.ts'
import type { Item } from './value.ts'

/** Parts of a table that are read at a time. */
const SEGMENTS = 4

/**
 * Every item of the table that the index has, whole, in no order, a few thousand at a time: where most of them have to
 * be looked at, this costs a fraction of reading each by its key.
 */
export async function* scanned(
  connection: Connection,
  { table }: Plan,
  { s }: IndexPlan,
): AsyncGenerator<Item[]> {
  const terms = createTerms()
  const FilterExpression = `attribute_exists(${terms.name(s)})`
  const segment = (Segment: number): ScanCommandInput => ({
    TableName: table,
    TotalSegments: SEGMENTS,
    Segment,
    FilterExpression,
    ...terms.attributes(),
  })
  const read = (input: ScanCommandInput) =>
    connection.calling(() => connection.client.send(new ScanCommand(input)))
  let inputs = Array.from({ length: SEGMENTS }, (_, at) => segment(at))
  while (inputs.length > 0) {
    const pages = await Promise.all(inputs.map(read))
    inputs = inputs.flatMap((input, at) => {
      const ExclusiveStartKey = pages[at]?.LastEvaluatedKey
      return ExclusiveStartKey === undefined ? [] : [{ ...input, ExclusiveStartKey }]
    })
    yield pages.flatMap(({ Items = [] }) => Items)
  }
}
