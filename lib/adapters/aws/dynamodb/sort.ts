import type { Fields } from './item.ts'

type Ordering = { sort: string; order: 'asc' | 'desc'; ties: readonly string[] }
type Rank = { by: unknown; ties: readonly string[] }

/** Absent values first, then numbers and booleans by size, then texts by code unit. */
const kind = (value: unknown): number => {
  if (value === undefined || value === null) return 0
  return typeof value === 'string' ? 2 : 1
}

const compareValues = (a: unknown, b: unknown): number => {
  const byKind = kind(a) - kind(b)
  if (byKind !== 0 || kind(a) === 0) return byKind
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a < b ? -1 : 1
  return Number(a) - Number(b)
}

const compare = (a: Rank, b: Rank): number => {
  const first = compareValues(a.by, b.by)
  if (first !== 0) return first
  for (const [at, tie] of a.ties.entries()) {
    const next = compareValues(tie, b.ties[at])
    if (next !== 0) return next
  }
  return 0
}

const rowRank = (row: Fields, { sort, ties }: Ordering): Rank => ({
  by: row[sort],
  ties: ties.map((field) => String(row[field])),
})

/** Whether a row comes after a place in the order. */
export const isBeyond = (row: Fields, place: Rank, ordering: Ordering): boolean => {
  const difference = compare(rowRank(row, ordering), place)
  return ordering.order === 'asc' ? difference > 0 : difference < 0
}

/** How many pages of rows are gathered before they are sorted and cut: this bounds memory, and sorts rarely. */
const KEEP = 4
const KEEP_LEAST = 1_000

/** The first `size` of any number of rows, in order. */
export const createTop = (ordering: Ordering & { size: number }) => {
  const { order, size } = ordering
  const sign = order === 'asc' ? 1 : -1
  let entries: { row: Fields; rank: Rank }[] = []
  const cut = () => {
    entries.sort((a, b) => sign * compare(a.rank, b.rank))
    entries = entries.slice(0, size)
  }
  return {
    add: (row: Fields): void => {
      entries.push({ row, rank: rowRank(row, ordering) })
      if (entries.length >= size * KEEP + KEEP_LEAST) cut()
    },
    rows: (): Fields[] => {
      cut()
      return entries.map(({ row }) => row)
    },
  }
}
