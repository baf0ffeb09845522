import type { Plan } from './plan.ts'
import { blobOf, type Fields } from './value.ts'

/**
 * What an index takes of a new row, in bytes. With what is set later, and in the worst case every long field a little too
 * short to lie aside, the 50 newest take 16 read units: 1.7 kB each, and a quarter of them read in vain.
 */
const MOST_COPIED = 800
/** Of that, what a long field may have that is set later, and what is not worth a request. */
const LATER = 0.5
const LEAST_ASIDE = 0.14
/** What stands in a row for a value that lies aside. */
const POINTER = 85

const sizeOf = (field: string, value: unknown): number =>
  field.length + Buffer.byteLength(JSON.stringify(value) ?? '')

type Sized = { field: string; size: number }
const sized = (fields: Readonly<Fields>, names: Iterable<string>): Sized[] =>
  [...names]
    .filter((field) => fields[field] !== undefined)
    .map((field) => ({ field, size: sizeOf(field, fields[field]) }))

/** Which long fields are too much for an index that takes `most` bytes of a new row. */
export const createExcess = (most = MOST_COPIED) => ({
  /** Those of a new row: the longest, until the others fit. */
  ofRow: ({ long, heavy }: Plan, row: Readonly<Fields>): string[] => {
    if (long.size === 0) return []
    const light = Object.keys(row).filter((field) => !heavy.has(field))
    let left = sized(row, light).reduce((sum, { size }) => sum + size, 0)
    const taken: string[] = []
    for (const { field, size } of sized(row, long).sort((a, b) => b.size - a.size)) {
      if (left <= most || size < most * LEAST_ASIDE) break
      left -= size - POINTER
      taken.push(field)
    }
    return taken
  },
  /** Those of a change. */
  ofChange: ({ long }: Plan, set: Readonly<Fields>): string[] =>
    sized(set, long)
      .filter(({ field, size }) => size > most * LATER && blobOf(set[field]) === undefined)
      .map(({ field }) => field),
})
