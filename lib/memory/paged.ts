import type { Place } from '../core/cursor.ts'
import { pageFacts, rangeOf } from '../core/page.ts'

type Asked = Parameters<typeof rangeOf>[0]

/** A page of what is in memory as a whole, in the order of unique keys. Throws as `rangeOf`. */
export const paged = <T>(all: readonly T[], keyOf: (item: T) => string, query: Asked, scope: string) => {
  const range = rangeOf(query, scope)
  const from = 'after' in range ? firstAfter(all, keyOf, range.after.key) : Math.min(range.offset, all.length)
  const rows = all.slice(from, from + range.limit)
  const last = rows.at(-1)
  const next: Place | undefined =
    last !== undefined && from + rows.length < all.length ? { by: null, key: keyOf(last) } : undefined
  return { rows, facts: pageFacts({ rows, next }, all.length, query, scope) }
}

const firstAfter = <T>(all: readonly T[], keyOf: (item: T) => string, key: string): number => {
  const at = all.findIndex((item) => keyOf(item) > key)
  return at < 0 ? all.length : at
}
