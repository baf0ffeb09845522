import { serveGroup } from '../lib/app/cloud.ts'
import { queueRoutes } from '../lib/queue/contract.ts'
import { queueHandlers } from '../lib/queue/handlers.ts'

export const handler = serveGroup(queueRoutes, queueHandlers)
