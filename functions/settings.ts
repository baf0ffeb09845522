import { servePeople } from '../lib/app/cloud-people.ts'
import { auditRoutes } from '../lib/audit/contract.ts'
import { auditHandlers } from '../lib/audit/handlers.ts'
import { settingsRoutes } from '../lib/settings/contract.ts'
import { settingsHandlers } from '../lib/settings/handlers.ts'

export const handler = servePeople({ ...settingsRoutes, ...auditRoutes }, (people) => ({
  ...settingsHandlers(people),
  ...auditHandlers(people),
}))
