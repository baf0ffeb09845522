import { agentRoutes } from '../agents/contract.ts'
import { healthRoutes } from '../health/contract.ts'
import { notificationRoutes } from '../notifications/contract.ts'
import { queueRoutes } from '../queue/contract.ts'
import { taskRoutes } from '../tasks/contract.ts'
import { apiRoutes } from './contract.ts'
import { mergeRoutes } from './merge.ts'

/** Every route table, under the name that groups its operations in the API's description. */
export const tables = {
  tasks: taskRoutes,
  queue: queueRoutes,
  agents: agentRoutes,
  notifications: notificationRoutes,
  health: healthRoutes,
  api: apiRoutes,
} as const

/** Every route of the service by its name. */
export const routes = mergeRoutes(tables)
export type ApiRoutes = typeof routes
