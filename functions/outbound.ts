import { serveGroup } from '../lib/app/cloud.ts'
import { outboundWebhookRoutes } from '../lib/outbound-webhooks/contract.ts'
import { outboundWebhookHandlers } from '../lib/outbound-webhooks/handlers.ts'

/** Registrations, their deliveries, and sends whose caller waits. `notify` and `tick` send all others. */
export const handler = serveGroup(outboundWebhookRoutes, outboundWebhookHandlers)
