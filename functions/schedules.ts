import { serveGroup } from '../lib/app/cloud.ts'
import { scheduleRoutes } from '../lib/schedules/contract.ts'
import { scheduleHandlers } from '../lib/schedules/handlers.ts'

export const handler = serveGroup(scheduleRoutes, scheduleHandlers)
