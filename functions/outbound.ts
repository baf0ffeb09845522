import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { openSending } from '../lib/app/cloud-ports.ts'
import { outboundWebhookRoutes } from '../lib/outbound-webhooks/contract.ts'
import { outboundWebhookHandlers } from '../lib/outbound-webhooks/handlers.ts'

/** Registrations, their deliveries, and sends whose caller waits. `notify` and `tick` send all others. */
export const handler = serveGroup(outboundWebhookRoutes, openWork(outboundWebhookHandlers, openSending))
