import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { EVERY_MS, paceAfter } from '../../data/live.ts'
import { type Filters, taskPages } from '../../data/tasks.ts'

export type TaskRow = Task

/** So many pages are kept fresh, the slower the more there are; who has scrolled further down is left in peace. */
const paceOf = (pages: number) => {
  if (pages <= 1) return EVERY_MS.list
  return pages <= MOST_LIVE ? EVERY_MS.calm : false
}
const MOST_LIVE = 5

/** The rows that fit, page after page; live near the top. */
export const useTaskRows = (filters: Filters) => {
  const query = useInfiniteQuery({
    ...taskPages(filters),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => paceAfter(state.error, paceOf(state.data?.pages.length ?? 0)),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  // A task that moved between two pages while they were asked for is in both.
  const rows = useMemo(
    () => [
      ...new Map(data?.pages.flatMap(({ tasks }) => tasks.map((task) => [task.id, task] as const)) ?? []),
    ],
    [data],
  )
  return {
    ...query,
    rows: useMemo(() => rows.map(([, task]) => task), [rows]),
    total: data?.pages.at(-1)?.total,
    isLive: (data?.pages.length ?? 0) <= MOST_LIVE,
    onMore: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  }
}
