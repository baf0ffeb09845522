import { serveGroup } from '../lib/app/cloud.ts'
import { healthRoutes } from '../lib/health/contract.ts'
import { healthHandlers } from '../lib/health/handlers.ts'

export const handler = serveGroup(healthRoutes, healthHandlers)
