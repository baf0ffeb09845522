import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openWebSearchSettingsPorts } from '../lib/app/cloud-ports.ts'
import { integrationRoutes } from '../lib/integrations/contract.ts'
import { integrationHandlers } from '../lib/integrations/handlers.ts'
import { joinWebSearch } from '../lib/join/integrations.ts'

/**
 * Settings of integrations. Linked accounts are shown by the function that knows the secrets of webhooks, and given up by
 * the one that opens tokens.
 */
export const handler = serveGroup(
  integrationRoutes,
  openGroup(({ auth, ports, config }) =>
    integrationHandlers({ webSearch: joinWebSearch(auth, openWebSearchSettingsPorts(config, ports)) }),
  ),
)
