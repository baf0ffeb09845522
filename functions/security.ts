import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openBlobs } from '../lib/app/cloud-ports.ts'
import { approvalRoutes } from '../lib/approvals/contract.ts'
import { approvalHandlers } from '../lib/approvals/handlers.ts'
import { composeSecurity } from '../lib/composition/security.ts'
import { securityRoutes } from '../lib/security/contract.ts'
import { securityHandlers } from '../lib/security/handlers.ts'

/** Policy, audit and approvals; long arguments and results of tools are in the bucket. */
export const handler = serveGroup(
  { ...securityRoutes, ...approvalRoutes },
  openGroup(({ auth, ports, config }) => {
    const security = composeSecurity(auth, ports, config)
    return { ...securityHandlers(security), ...approvalHandlers(security) }
  }, openBlobs),
)
