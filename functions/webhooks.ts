import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { openedWithSecrets } from '../lib/app/cloud-secrets.ts'
import { composeConnectionStatus } from '../lib/composition/accounts.ts'
import { composeWebhooks } from '../lib/composition/work.ts'
import { connectionRoutes } from '../lib/integrations/contract.ts'
import { connectionHandlers } from '../lib/integrations/handlers.ts'
import { inboundRoutes } from '../lib/webhooks/contract.ts'
import { inboundHandlers } from '../lib/webhooks/handlers.ts'

const routes = { ...inboundRoutes, ...connectionRoutes }

/** Senders call the HTTP API, or the function's own URL; only this function has their secrets. */
export const handler = serveGroup(
  routes,
  (config) => {
    const open = openWork<typeof routes>((served) => ({
      ...inboundHandlers({ inbound: composeWebhooks(served, served.ports, config) }),
      ...connectionHandlers({ connectionStatus: composeConnectionStatus(served, served.ports, config) }),
    }))
    return open(config)
  },
  openedWithSecrets,
)
