import { agentRoutes } from '../lib/agents/contract.ts'
import { agentHandlers } from '../lib/agents/handlers.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openWork } from '../lib/app/cloud-work.ts'

export const handler = serveGroup(agentRoutes, openWork(agentHandlers))
