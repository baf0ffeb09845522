import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { composeFailures } from '../lib/composition/notices.ts'
import { queueRoutes } from '../lib/queue/contract.ts'
import { queueHandlers } from '../lib/queue/handlers.ts'

export const handler = serveGroup(
  queueRoutes,
  openWork((served) => queueHandlers({ ...served, failures: composeFailures(served, served.ports) })),
)
