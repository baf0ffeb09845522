import * as z from 'zod'
import type { Collection } from '../core/collection.ts'
import { pageFacts, pageQuery, rangeOf } from '../core/page.ts'
import type { Store } from '../ports/store.ts'

export const PageQuery = z.object(pageQuery)
export type PageQuery = z.output<typeof PageQuery>

/** A page of a collection that has an index `newest`, newest first, with what every list says of itself. */
export const pageOf = async <R extends object>(
  store: Store,
  of: Collection<R>,
  scope: string,
  query: PageQuery,
) => {
  const [page, total] = await Promise.all([
    store.page(of, { index: 'newest', order: 'desc', ...rangeOf(query, scope) }),
    store.count(of, { index: 'newest' }),
  ])
  return { rows: page.rows, ...pageFacts(page, total, query, scope) }
}
