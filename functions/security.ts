import { serveGroup } from '../lib/app/cloud-http.ts'
import { openSecurity } from '../lib/app/cloud-security.ts'
import { approvalRoutes } from '../lib/approvals/contract.ts'
import { approvalHandlers } from '../lib/approvals/handlers.ts'
import { securityRoutes } from '../lib/security/contract.ts'
import { securityHandlers } from '../lib/security/handlers.ts'

export const handler = serveGroup(
  { ...securityRoutes, ...approvalRoutes },
  openSecurity((security) => ({ ...securityHandlers(security), ...approvalHandlers(security) })),
)
