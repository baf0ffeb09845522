import { serveGroup } from '../lib/app/cloud.ts'
import { taskRoutes } from '../lib/tasks/contract.ts'
import { taskHandlers } from '../lib/tasks/handlers.ts'

export const handler = serveGroup(taskRoutes, taskHandlers)
