import { serveGroup } from '../lib/app/cloud.ts'
import { openedWithSecrets } from '../lib/app/cloud-secrets.ts'
import { runnerRoutes } from '../lib/runners/contract.ts'
import { runnerHandlers } from '../lib/runners/handlers.ts'

/** Tokens of linked accounts are renewed here, and memory is searched for runs. */
export const handler = serveGroup(runnerRoutes, runnerHandlers, openedWithSecrets)
