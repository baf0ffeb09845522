import { serveGroup } from '../lib/app/cloud-http.ts'
import { withSecrets } from '../lib/app/cloud-secrets.ts'
import { openWork } from '../lib/app/cloud-work.ts'
import { joinWebhooks } from '../lib/join/webhooks.ts'
import { inboundRoutes } from '../lib/webhooks/contract.ts'
import { inboundHandlers } from '../lib/webhooks/handlers.ts'

/** Senders come by the HTTP API, or by the function's own URL; what they sign with is known to this function alone. */
export const handler = serveGroup(inboundRoutes, async (given) => {
  const config = await withSecrets(given)
  const open = openWork<typeof inboundRoutes>((served) =>
    inboundHandlers({ inbound: joinWebhooks(served, served.ports, config) }),
  )
  return open(config)
})
