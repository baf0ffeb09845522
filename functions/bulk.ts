import { serveGroup } from '../lib/app/cloud.ts'
import { bulkRoutes } from '../lib/bulk/contract.ts'
import { bulkHandlers } from '../lib/bulk/handlers.ts'

/** Accepts bulk jobs; the handlers of notices carry them out. */
export const handler = serveGroup(bulkRoutes, bulkHandlers)
