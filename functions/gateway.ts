import { serveGroup } from '../lib/app/cloud.ts'
import { gatewayRoutes } from '../lib/gateway/contract.ts'
import { gatewayHandlers } from '../lib/gateway/handlers.ts'
import { tokenRoutes } from '../lib/tokens/contract.ts'
import { tokenHandlers } from '../lib/tokens/handlers.ts'

/** The distribution sends requests that create work to the streaming function, which may wait longer. */
export const handler = serveGroup({ ...gatewayRoutes, ...tokenRoutes }, (domains) => ({
  ...gatewayHandlers(domains),
  ...tokenHandlers(domains),
}))
