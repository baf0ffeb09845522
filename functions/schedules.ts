import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { openTasking } from '../lib/app/cloud-ports.ts'
import { joinSchedules } from '../lib/join/schedules.ts'
import { scheduleRoutes } from '../lib/schedules/contract.ts'
import { scheduleHandlers } from '../lib/schedules/handlers.ts'

export const handler = serveGroup(
  scheduleRoutes,
  openWork((served) => scheduleHandlers({ schedules: joinSchedules(served, served.ports) }), openTasking),
)
