import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openWebSearchSettingsPorts } from '../lib/app/cloud-ports.ts'
import { composeWebSearch } from '../lib/composition/chat.ts'
import { integrationRoutes } from '../lib/integrations/contract.ts'
import { integrationHandlers } from '../lib/integrations/handlers.ts'

/**
 * Settings of integrations. Another function, which has the secrets of webhooks, shows linked accounts; the one that
 * opens tokens removes them.
 */
export const handler = serveGroup(
  integrationRoutes,
  openGroup(({ auth, ports, config }) =>
    integrationHandlers({ webSearch: composeWebSearch(auth, openWebSearchSettingsPorts(config, ports)) }),
  ),
)
