import { serveGroup } from '../lib/app/cloud.ts'
import { notificationRoutes } from '../lib/notifications/contract.ts'
import { notificationHandlers } from '../lib/notifications/handlers.ts'

export const handler = serveGroup(notificationRoutes, notificationHandlers)
