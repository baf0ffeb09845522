import { serveGroup } from '../lib/app/cloud-function.ts'
import { LONGEST_WAIT_MS, openWork, waitingAtMost } from '../lib/app/cloud-groups.ts'
import { openAccepting } from '../lib/app/cloud-ports.ts'
import { composeTokens } from '../lib/composition/accounts.ts'
import { readConfig } from '../lib/config/config.ts'
import { gatewayRoutes } from '../lib/gateway/contract.ts'
import { gatewayHandlers } from '../lib/gateway/handlers.ts'
import { tokenRoutes } from '../lib/tokens/contract.ts'
import { tokenHandlers } from '../lib/tokens/handlers.ts'

/** The distribution sends requests that create work to the streaming function, which may wait longer. */
export const handler = serveGroup(
  { ...gatewayRoutes, ...tokenRoutes },
  openWork(
    ({ gateway, ports, ...served }) => ({
      ...gatewayHandlers({ gateway: waitingAtMost(LONGEST_WAIT_MS.function, gateway) }),
      ...tokenHandlers({ tokens: composeTokens(served, ports, readConfig()) }),
    }),
    openAccepting,
  ),
)
