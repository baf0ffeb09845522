import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { bulkRoutes } from '../lib/bulk/contract.ts'
import { bulkHandlers } from '../lib/bulk/handlers.ts'
import { composeBulk } from '../lib/composition/notices.ts'

/** Accepts bulk jobs; the handlers of notices carry them out. */
export const handler = serveGroup(
  bulkRoutes,
  openWork((served) => bulkHandlers({ bulk: composeBulk(served, served.ports) })),
)
