import { Fragment, type ReactNode } from 'react'
import type { Paging } from '../data/page.ts'
import { NotYet } from './not-yet.tsx'
import { Pager } from './pager.tsx'
import { Rows } from './rows.tsx'
import { SkeletonRows } from './skeleton.tsx'

type Props<Data extends { total: number }, Item extends { id: string }> = {
  label: string
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  paging: Paging
  getItems: (data: Data) => readonly Item[]
  empty?: ReactNode
  children: (item: Item) => ReactNode
}

/** One page of a list, with its loading, failed and empty states, and the pager. */
export const PagedRows = <Data extends { total: number }, Item extends { id: string }>(
  props: Props<Data, Item>,
) => {
  const { label, query, paging, getItems, empty, children } = props
  const { data } = query
  return (
    <>
      {!data && (
        <NotYet query={query}>
          <SkeletonRows count={4} />
        </NotYet>
      )}
      {data?.total === 0 && empty}
      {data && data.total > 0 && (
        <Rows label={label}>
          {getItems(data).map((item) => (
            <Fragment key={item.id}>{children(item)}</Fragment>
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </>
  )
}
