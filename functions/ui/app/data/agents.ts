import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useLive } from './live.ts'

/**
 * The stream of changes has no agents: the service checks the health of an agent only when it is asked, so nothing but a request
 * finds out that one has become ill. A request checks all of them, which is why it is made no more often.
 */
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
