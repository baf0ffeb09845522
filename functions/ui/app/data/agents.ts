import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../../lib/agents/schema.ts'
import { client } from './client.ts'
import { useLive } from './live.ts'
import { queryClient } from './query-client.ts'

/** Reading agents checks their health, which is expensive, so it is done once a minute, and when runners come or go. */
const EVERY_MINUTE_MS = 60_000

const key = ['agents'] as const

export const useAgents = (enabled = true) =>
  useLive(key, async (signal) => (await client.listAgents({}, { signal })).agents, EVERY_MINUTE_MS, {
    enabled,
  })

/** Whether a task of the agent can run now, in the service or on a runner. */
export const canRun = ({ inService, runners }: Pick<Agent, 'inService' | 'runners'>): boolean =>
  inService || runners.length > 0

/** The scripted demo model answers in place of an AI. A runner that has the agent brings a model of its own. */
export const isOnDemo = ({ providers = [], runners }: Pick<Agent, 'providers' | 'runners'>): boolean =>
  runners.length === 0 && providers.length > 0 && providers.every((name) => name === 'demo')

export type Nothing = { why: string; isWorkerOff: boolean }

const WORKER_OFF = 'The service does not run tasks (WORKER=off), and no runner is available.'
const NO_AGENT = 'No agent is set up, and no runner is available.'

/** Why no task can run, neither in the service nor on a runner; undefined while one can, and until that is known. */
export const useNothingRuns = (): Nothing | undefined => {
  const { data: agents } = useAgents()
  if (agents === undefined || agents.some(canRun)) return undefined
  const isWorkerOff = agents.some(({ configured }) => configured)
  return { why: isWorkerOff ? WORKER_OFF : NO_AGENT, isWorkerOff }
}

/** Checks also the agents whose last check still counts. */
export const useCheckAgents = () =>
  useMutation({
    mutationFn: async () => (await client.listAgents({ query: { fresh: true } })).agents,
    onSuccess: (agents) => queryClient.setQueryData(key, agents),
  })

const typesQuery = queryOptions({
  queryKey: ['agents', 'types'],
  queryFn: ({ signal }) => client.listAgentTypes({}, { signal }),
  staleTime: 300_000,
})

export const useAgentTypes = () => useQuery({ ...typesQuery, select: ({ types }) => types })

/** The name of an agent; its type until that is known, and for an agent that is gone. */
export const useAgentName = (): ((type: string) => string) => {
  const { data } = useQuery(typesQuery)
  return (type) => data?.names[type] ?? type
}
