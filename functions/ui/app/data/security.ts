import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Policy, ToolCallEntry } from '../../../../lib/security/schema.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'

export type { Policy, ToolCallEntry }

const policyKey = ['policy'] as const

/** What tools may do in this installation. */
export const usePolicy = () =>
  useLive(
    queryOptions({
      queryKey: policyKey,
      queryFn: async ({ signal }) => (await client.getPolicy({}, { signal })).policy,
    }),
    EVERY_MS.calm,
  )

export type PolicyChange = NonNullable<NonNullable<Parameters<typeof client.changePolicy>[0]>['body']>

/** Changes what is given of the policy; what is left out stays. */
export const useChangePolicy = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PolicyChange) => client.changePolicy({ body }),
    onSuccess: ({ policy }) => queries.setQueryData(policyKey, policy),
  })
}

/** What narrows the record of tool calls: names of the route's query. */
export const TOOL_CALL_FILTERS = [
  ...['tool', 'decision', 'userId', 'conversationId', 'taskId', 'callId', 'from', 'to'],
] as const
export type ToolCallFilters = Readonly<Record<string, string>>
type Query = NonNullable<NonNullable<Parameters<typeof client.listToolCalls>[0]>['query']>

/** Tool calls, refused ones included, newest first. The address may say anything: what does not fit is refused. */
export const useToolCalls = (filters: ToolCallFilters) =>
  useLivePages(
    ['tool-calls', filters],
    (page, signal) => client.listToolCalls({ query: { ...(filters as Query), ...page } }, { signal }),
    ({ entries }) => entries,
  )

/** One tool call with its whole arguments and result, which do not change any more. */
export const useToolCall = (id: string) =>
  useQuery({
    queryKey: ['tool-calls', 'one', id],
    queryFn: async ({ signal }) => (await client.getToolCall({ params: { id } }, { signal })).entry,
    staleTime: Number.POSITIVE_INFINITY,
  })
