import { useMutation, useQuery } from '@tanstack/react-query'
import type { Policy, ToolCallEntry } from '../../../../lib/security/schema.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'
import { queryClient } from './query-client.ts'

export type { Policy, ToolCallEntry }

export const policyKey = ['policy'] as const

/** The policy, and the default mode of tasks. */
export const usePolicy = () => useLive(policyKey, (signal) => client.getPolicy({}, { signal }), EVERY_MS.calm)

export type PolicyChange = NonNullable<NonNullable<Parameters<typeof client.changePolicy>[0]>['body']>

/** A partial update. */
export const useChangePolicy = () =>
  useMutation({
    mutationFn: (body: PolicyChange) => client.changePolicy({ body }),
    onSuccess: (answer) => queryClient.setQueryData(policyKey, answer),
  })

/** Query parameters of the route. */
export const TOOL_CALL_FILTERS = [
  ...['tool', 'decision', 'userId', 'conversationId', 'taskId', 'callId', 'from', 'to'],
] as const
export type ToolCallFilters = Readonly<Record<string, string>>
type Query = NonNullable<NonNullable<Parameters<typeof client.listToolCalls>[0]>['query']>

/** Includes refused calls. Filters come from the address; the service rejects invalid ones. */
export const useToolCalls = (filters: ToolCallFilters) =>
  useLivePages(
    ['tool-calls', filters],
    (page, signal) => client.listToolCalls({ query: { ...(filters as Query), ...page } }, { signal }),
    ({ entries }) => entries,
  )

/** Never changes. */
export const useToolCall = (id: string) =>
  useQuery({
    queryKey: ['tool-calls', 'one', id],
    queryFn: async ({ signal }) => (await client.getToolCall({ params: { id } }, { signal })).entry,
    staleTime: Number.POSITIVE_INFINITY,
  })
