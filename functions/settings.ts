import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import { auditRoutes } from '../lib/audit/contract.ts'
import { auditHandlers } from '../lib/audit/handlers.ts'
import { settingsRoutes } from '../lib/settings/contract.ts'
import { settingsHandlers } from '../lib/settings/handlers.ts'

export const handler = serveGroup(
  { ...settingsRoutes, ...auditRoutes },
  openPlain(({ entry }) => ({ ...settingsHandlers(entry), ...auditHandlers(entry) })),
)
