import { useMutation, useQuery } from '@tanstack/react-query'
import type { DlqItem } from '../../../../lib/queue/schema.ts'
import { refetch, useChange } from './change.ts'
import { client } from './client.ts'
import { useLivePages } from './live-pages.ts'
import { queryClient } from './query-client.ts'
import { WORK } from './streaming.ts'
import { tasksKey } from './tasks.ts'

export type DeadLetter = DlqItem
export type DeadLetterFilter = DlqItem['status'] | 'all'

const key = ['dead-letters'] as const

/** `fingerprint` narrows to a group of failures. */
export const useDeadLetters = (status: DeadLetterFilter, fingerprint?: string) =>
  useLivePages(
    [...key, status, fingerprint],
    (query, signal) =>
      client.listDlq({ query: { ...query, status, ...(fingerprint ? { fingerprint } : {}) } }, { signal }),
    ({ items }) => items,
  )

export const decisions = {
  retry: (id: string) => client.retryDlqItem({ params: { id } }),
  discard: (id: string) => client.discardDlqItem({ params: { id } }),
} as const
export type Decision = keyof typeof decisions

export const useDecide = () =>
  useChange(({ id, decision }: { id: string; decision: Decision }) => decisions[decision](id), ...WORK)

/** Null if the group has none. */
export const useNewestPending = (fingerprint: string) =>
  useQuery({
    queryKey: [...key, 'newest', fingerprint],
    queryFn: async ({ signal }) => {
      const { items } = await client.listDlq(
        { query: { status: 'pending', fingerprint, limit: 1 } },
        { signal },
      )
      return items[0] ?? null
    },
    gcTime: 0,
  })

/** Puts the retried task into the cache. */
export const useProbe = () =>
  useMutation({
    mutationFn: decisions.retry,
    onSuccess: ({ task }) => queryClient.setQueryData([...tasksKey, 'one', task.id], task),
    onSettled: () => void refetch(...WORK),
  })
