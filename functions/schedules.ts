import { describeAgents } from '../lib/app/cloud-agents.ts'
import { type Open, serveGroup } from '../lib/app/cloud-function.ts'
import { openBasePorts, openBlobs, openRepositories } from '../lib/app/cloud-ports.ts'
import { createAuthContext } from '../lib/composition/auth.ts'
import { composeSchedules } from '../lib/composition/schedules.ts'
import { composeTaskCreation } from '../lib/composition/task-creation.ts'
import { createRequestMetrics } from '../lib/health/request-metrics.ts'
import { scheduleRoutes } from '../lib/schedules/contract.ts'
import { scheduleHandlers } from '../lib/schedules/handlers.ts'

const open: Open<typeof scheduleRoutes> = async (config) => {
  const ports = openBasePorts(config, openBlobs(config))
  const auth = createAuthContext(ports, config)
  const outside = { adapters: await describeAgents(config), repositories: openRepositories(config) }
  const tasks = composeTaskCreation(auth, { ...ports, ...outside }, config)
  const schedules = composeSchedules({ ...auth, tasks }, ports)
  return { auth, ports, requests: createRequestMetrics(ports), handlers: scheduleHandlers({ schedules }) }
}

export const handler = serveGroup(scheduleRoutes, open)
