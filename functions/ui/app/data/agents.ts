import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useLive } from './live.ts'

/**
 * Reading agents checks their health, and only a read does, so the event stream has no agents. The check is expensive, so it is done once a
 * minute.
 */
const EVERY_MINUTE_MS = 60_000

export const useAgents = () =>
  useLive(['agents'], async (signal) => (await client.listAgents({}, { signal })).agents, EVERY_MINUTE_MS)

export const useAgentTypes = () =>
  useQuery({
    queryKey: ['agents', 'types'],
    queryFn: async ({ signal }) => (await client.listAgentTypes({}, { signal })).types,
    staleTime: 300_000,
  })
