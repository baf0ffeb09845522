import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { notificationRoutes } from '../lib/notifications/contract.ts'
import { notificationHandlers } from '../lib/notifications/handlers.ts'

export const handler = serveGroup(notificationRoutes, openWork(notificationHandlers))
