import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { healthRoutes } from '../lib/health/contract.ts'
import { healthHandlers } from '../lib/health/handlers.ts'

export const handler = serveGroup(healthRoutes, openWork(healthHandlers))
