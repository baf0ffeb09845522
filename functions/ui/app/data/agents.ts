import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useLive } from './live.ts'

/** No change says that an agent has become ill, and each question asks all of them. */
const EVERY_MINUTE_MS = 60_000

/** The agents with their health, which is checked when it is asked for. */
export const useAgents = () =>
  useLive(
    queryOptions({
      queryKey: ['agents'],
      queryFn: async ({ signal }) => (await client.listAgents({}, { signal })).agents,
    }),
    EVERY_MINUTE_MS,
  )

/** The types a task may be given to. */
export const useAgentTypes = () =>
  useQuery({
    queryKey: ['agents', 'types'],
    queryFn: async ({ signal }) => (await client.listAgentTypes({}, { signal })).types,
    staleTime: 300_000,
  })
