import { serveGroup } from '../lib/app/cloud.ts'
import { inboxRoutes } from '../lib/inbox/contract.ts'
import { inboxHandlers } from '../lib/inbox/handlers.ts'
import { notificationRoutes } from '../lib/notifications/contract.ts'
import { notificationHandlers } from '../lib/notifications/handlers.ts'

/** The inbox, which reads the causes of its items, and notifications. */
export const handler = serveGroup({ ...notificationRoutes, ...inboxRoutes }, (domains) => ({
  ...notificationHandlers(domains),
  ...inboxHandlers(domains),
}))
