import { useMutation, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useLive } from './live.ts'
import { queryClient } from './query-client.ts'

/**
 * Reading agents checks their health, and only a read does, so the event stream has no agents. The check is expensive, so it is done once a
 * minute.
 */
const EVERY_MINUTE_MS = 60_000

const key = ['agents'] as const

export const useAgents = (enabled = true) =>
  useLive(key, async (signal) => (await client.listAgents({}, { signal })).agents, EVERY_MINUTE_MS, {
    enabled,
  })

/** Checks also the agents whose last check still counts. */
export const useCheckAgents = () =>
  useMutation({
    mutationFn: async () => (await client.listAgents({ query: { fresh: true } })).agents,
    onSuccess: (agents) => queryClient.setQueryData(key, agents),
  })

export const useAgentTypes = () =>
  useQuery({
    queryKey: ['agents', 'types'],
    queryFn: async ({ signal }) => (await client.listAgentTypes({}, { signal })).types,
    staleTime: 300_000,
  })
