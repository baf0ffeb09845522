import { openTasking } from '../lib/app/cloud-accepting.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openWork } from '../lib/app/cloud-work.ts'
import { taskRoutes } from '../lib/tasks/contract.ts'
import { taskHandlers } from '../lib/tasks/handlers.ts'

export const handler = serveGroup(taskRoutes, openWork(taskHandlers, openTasking))
