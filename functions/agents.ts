import { agentRoutes } from '../lib/agents/contract.ts'
import { agentHandlers } from '../lib/agents/handlers.ts'
import { serveGroup } from '../lib/app/cloud.ts'

export const handler = serveGroup(agentRoutes, agentHandlers)
