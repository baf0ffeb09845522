import { apiRoutes } from '../lib/api/contract.ts'
import { apiHandlers } from '../lib/api/handlers.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import document from '../resources/openapi.json' with { type: 'json' }

/** The description of the API; also where requests go that no other function has a route for, to be answered 404. */
export const handler = serveGroup(apiRoutes, () => apiHandlers({ describe: async () => document }))
