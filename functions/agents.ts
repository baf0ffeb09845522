import { agentRoutes } from '../lib/agents/contract.ts'
import { agentHandlers } from '../lib/agents/handlers.ts'
import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'

export const handler = serveGroup(agentRoutes, openWork(agentHandlers))
