import { document } from '../lib/api/document.ts'
import { apiHandlers, apiRoutes } from '../lib/api/openapi-route.ts'
import { servePeople } from '../lib/app/cloud-people.ts'

export const handler = servePeople(apiRoutes, () => apiHandlers({ describe: async () => document }))
