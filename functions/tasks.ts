import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { openTasking } from '../lib/app/cloud-ports.ts'
import { taskRoutes } from '../lib/tasks/contract.ts'
import { taskHandlers } from '../lib/tasks/handlers.ts'

export const handler = serveGroup(taskRoutes, openWork(taskHandlers, openTasking))
