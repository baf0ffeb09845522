import type { Handlers } from '../http/route.ts'
import type { auditRoutes } from './contract.ts'
import type { Audit } from './service.ts'

export const auditHandlers = ({ audit }: { audit: Audit }): Handlers<typeof auditRoutes> => ({
  listAudit: ({ query }) => audit.list(query),
})
