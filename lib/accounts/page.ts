import * as z from 'zod'
import type { Collection } from '../core/collection.ts'
import { decodeCursor, encodeCursor } from '../core/cursor.ts'
import { pageQuery } from '../core/page.ts'
import type { Store } from '../ports/store.ts'

export const PageQuery = z.object(pageQuery)
export type PageQuery = z.output<typeof PageQuery>

/** A page of a collection that has an index `newest`, newest first, with what every list says of itself. */
export const pageOf = async <R extends object>(
  store: Store,
  of: Collection<R>,
  scope: string,
  { limit, offset, cursor }: PageQuery,
) => {
  const place = cursor === undefined ? { offset: offset ?? 0 } : { after: decodeCursor(cursor, scope) }
  const [{ rows, next }, total] = await Promise.all([
    store.page(of, { index: 'newest', order: 'desc', limit, ...place }),
    store.count(of, { index: 'newest' }),
  ])
  return {
    rows,
    total,
    count: rows.length,
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(next ? { nextCursor: encodeCursor(next, scope) } : {}),
  }
}
