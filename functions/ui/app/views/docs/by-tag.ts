import type { Described } from '../../data/api-description.ts'

/** The operations of each part of the API, in its own order. */
export const byTag = (operations: readonly Described[]): [tag: string, operations: readonly Described[]][] =>
  Object.entries(Object.groupBy(operations, ({ tags: [tag = ''] }) => tag)).map(([tag, rows = []]) => [
    tag,
    rows,
  ])
