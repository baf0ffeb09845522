import type { Handlers } from '../http/route.ts'
import type { agentRoutes } from './contract.ts'
import type { Agents } from './service.ts'

export const agentHandlers = ({ agents }: { agents: Agents }): Handlers<typeof agentRoutes> => ({
  listAgents: async ({ query }) => ({ agents: await agents.list({ isFresh: query.fresh === true }) }),
  listAgentTypes: async () => ({
    types: [...new Set([...(await agents.types()), ...(await agents.offered())])],
    names: await agents.names(),
  }),
})
