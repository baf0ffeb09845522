import { alertRoutes } from '../lib/alerts/contract.ts'
import { alertHandlers } from '../lib/alerts/handlers.ts'
import { serveGroup } from '../lib/app/cloud.ts'
import { inboxRoutes } from '../lib/inbox/contract.ts'
import { inboxHandlers } from '../lib/inbox/handlers.ts'
import { notificationRoutes } from '../lib/notifications/contract.ts'
import { notificationHandlers } from '../lib/notifications/handlers.ts'

/** The inbox, which reads the causes of its items, notifications, and the browsers that get messages. */
export const handler = serveGroup({ ...notificationRoutes, ...inboxRoutes, ...alertRoutes }, (domains) => ({
  ...notificationHandlers(domains),
  ...inboxHandlers(domains),
  ...alertHandlers(domains),
}))
