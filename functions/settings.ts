import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { auditRoutes } from '../lib/audit/contract.ts'
import { auditHandlers } from '../lib/audit/handlers.ts'
import { settingsRoutes } from '../lib/settings/contract.ts'
import { settingsHandlers } from '../lib/settings/handlers.ts'

export const handler = serveGroup(
  { ...settingsRoutes, ...auditRoutes },
  openGroup(({ auth }) => ({ ...settingsHandlers(auth), ...auditHandlers(auth) })),
)
