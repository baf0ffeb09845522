import { serveGroup } from '../lib/app/cloud.ts'
import { runnerRoutes } from '../lib/runners/contract.ts'
import { runnerHandlers } from '../lib/runners/handlers.ts'

export const handler = serveGroup(runnerRoutes, runnerHandlers)
