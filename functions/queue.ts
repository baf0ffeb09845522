import { serveGroup } from '../lib/app/cloud.ts'
import { holdRoutes } from '../lib/holds/contract.ts'
import { holdHandlers } from '../lib/holds/handlers.ts'
import { queueRoutes } from '../lib/queue/contract.ts'
import { queueHandlers } from '../lib/queue/handlers.ts'

export const handler = serveGroup({ ...queueRoutes, ...holdRoutes }, (domains) => ({
  ...queueHandlers(domains),
  ...holdHandlers(domains),
}))
