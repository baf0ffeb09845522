import { serveGroup } from '../lib/app/cloud.ts'
import { approvalRoutes } from '../lib/approvals/contract.ts'
import { approvalHandlers } from '../lib/approvals/handlers.ts'
import { securityRoutes } from '../lib/security/contract.ts'
import { securityHandlers } from '../lib/security/handlers.ts'

/** Policy, audit and approvals; long arguments and results of tools are in the bucket. */
export const handler = serveGroup({ ...securityRoutes, ...approvalRoutes }, (domains) => ({
  ...securityHandlers(domains),
  ...approvalHandlers(domains),
}))
