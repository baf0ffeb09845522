import { document } from '../lib/api/document.ts'
import { apiHandlers, apiRoutes } from '../lib/api/openapi-route.ts'
import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'

export const handler = serveGroup(
  apiRoutes,
  openGroup(() => apiHandlers({ describe: async () => document })),
)
