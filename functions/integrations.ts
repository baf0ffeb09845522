import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import { openWebSearchSettings } from '../lib/app/cloud-web-search.ts'
import { integrationRoutes } from '../lib/integrations/contract.ts'
import { integrationHandlers } from '../lib/integrations/handlers.ts'

/**
 * Settings of integrations. Linked accounts are shown by the function that knows the secrets of webhooks, and given up by
 * the one that opens tokens.
 */
export const handler = serveGroup(
  integrationRoutes,
  openPlain(({ entry, ports, config }) =>
    integrationHandlers({ webSearch: openWebSearchSettings(entry, ports, config) }),
  ),
)
