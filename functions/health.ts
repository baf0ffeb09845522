import { serveGroup } from '../lib/app/cloud-http.ts'
import { openWork } from '../lib/app/cloud-work.ts'
import { healthRoutes } from '../lib/health/contract.ts'
import { healthHandlers } from '../lib/health/handlers.ts'

export const handler = serveGroup(healthRoutes, openWork(healthHandlers))
