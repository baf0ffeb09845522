import { serveGroup } from '../lib/app/cloud.ts'
import { openedWithSecrets } from '../lib/app/cloud-secrets.ts'
import { connectionRoutes } from '../lib/integrations/contract.ts'
import { connectionHandlers } from '../lib/integrations/handlers.ts'
import { inboundRoutes } from '../lib/webhooks/contract.ts'
import { inboundHandlers } from '../lib/webhooks/handlers.ts'

/** Senders call the HTTP API, or the function's own URL; only this function has their secrets. */
export const handler = serveGroup(
  { ...inboundRoutes, ...connectionRoutes },
  (domains) => ({ ...inboundHandlers(domains), ...connectionHandlers(domains) }),
  openedWithSecrets,
)
