import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

/** The agents with their health, which is checked when it is asked for. */
export const useAgents = () =>
  useLive(
    queryOptions({
      queryKey: ['agents'],
      queryFn: async ({ signal }) => (await client.listAgents({}, { signal })).agents,
    }),
    EVERY_MS.calm,
  )

/** The types a task may be given to. */
export const useAgentTypes = () =>
  useQuery({
    queryKey: ['agents', 'types'],
    queryFn: async ({ signal }) => (await client.listAgentTypes({}, { signal })).types,
    staleTime: 300_000,
  })
