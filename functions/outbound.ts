import { serveGroup } from '../lib/app/cloud-function.ts'
import { openWork } from '../lib/app/cloud-groups.ts'
import { openSending } from '../lib/app/cloud-ports.ts'
import { outboundWebhookRoutes } from '../lib/outbound-webhooks/contract.ts'
import { outboundWebhookHandlers } from '../lib/outbound-webhooks/handlers.ts'

/** Registrations, their deliveries, and those that are sent while their caller waits. All others are sent by `notify` and `tick`. */
export const handler = serveGroup(outboundWebhookRoutes, openWork(outboundWebhookHandlers, openSending))
