import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { EVERY_MS, pollInterval } from './live.ts'

const PAGE = 100
/** Lists with more pages are not refetched, so that rows do not move under the reader. */
const MOST_LIVE = 5

export const standsStill = (data: unknown): boolean =>
  ((data as InfiniteData<unknown> | undefined)?.pages?.length ?? 0) > MOST_LIVE

type Page = { total: number; nextCursor?: string | undefined }
type Asked = { limit: number; cursor?: string }

const pagesInterval = (pages: number) => {
  if (pages <= 1) return EVERY_MS.list
  return pages <= MOST_LIVE ? EVERY_MS.calm : false
}

/** A cursor-paged list that refetches near its top. A row that moved between pages is listed once. */
export const useLivePages = <P extends Page, Row extends { id: string }>(
  queryKey: QueryKey,
  ask: (query: Asked, signal: AbortSignal) => Promise<P>,
  getRows: (page: P) => readonly Row[],
  /** Keeps the previous rows while the next query loads. */
  keepsOld = false,
) => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      ask({ limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: '',
    ...(keepsOld ? { placeholderData: keepPreviousData } : {}),
    getNextPageParam: ({ nextCursor }: P) => nextCursor,
    refetchInterval: ({ state }) =>
      pollInterval(queryKey, state.error, pagesInterval(state.data?.pages.length ?? 0)),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  // biome-ignore lint/correctness/useExhaustiveDependencies: which field holds the rows never changes.
  const rows = useMemo(
    () => [...new Map(data?.pages.flatMap((page) => getRows(page).map((row) => [row.id, row]))).values()],
    [data],
  )
  return {
    ...query,
    rows,
    first: data?.pages[0],
    total: data?.pages.at(-1)?.total,
    isLive: !standsStill(data),
    onMore: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  }
}
