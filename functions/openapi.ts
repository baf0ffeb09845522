import { apiRoutes } from '../lib/api/contract.ts'
import { apiHandlers } from '../lib/api/handlers.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import document from '../resources/openapi.json' with { type: 'json' }

/** The description of the API. */
export const handler = serveGroup(
  apiRoutes,
  openPlain(() => apiHandlers({ describe: async () => document })),
)
