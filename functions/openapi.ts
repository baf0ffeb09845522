import { apiHandlers, apiRoutes } from '../lib/api/openapi-route.ts'
import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import document from '../resources/openapi.json' with { type: 'json' }

/** The description of the API. */
export const handler = serveGroup(
  apiRoutes,
  openGroup(() => apiHandlers({ describe: async () => document })),
)
