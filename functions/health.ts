import { openWork } from '../lib/app/cloud-groups.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { healthRoutes } from '../lib/health/contract.ts'
import { healthHandlers } from '../lib/health/handlers.ts'

export const handler = serveGroup(healthRoutes, openWork(healthHandlers))
