import type { Handlers } from '../http/route.ts'
import type { agentRoutes } from './contract.ts'
import type { Agents } from './service.ts'

export const agentHandlers = ({ agents }: { agents: Agents }): Handlers<typeof agentRoutes> => ({
  listAgents: async () => ({ agents: await agents.list() }),
  listAgentTypes: async () => ({ types: await agents.types() }),
})
