import { serveGroup } from '../lib/app/cloud.ts'
import { integrationRoutes } from '../lib/integrations/contract.ts'
import { integrationHandlers } from '../lib/integrations/handlers.ts'

/**
 * Settings of integrations. Another function, which has the secrets of webhooks, shows linked accounts; the one that
 * opens tokens removes them.
 */
export const handler = serveGroup(integrationRoutes, integrationHandlers)
