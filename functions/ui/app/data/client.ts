import { createClient } from '../../../../lib/api/client.ts'
import { routes } from './at-build.ts'
import { watchedFetch } from './connection.ts'

/** The service's typed client: a method per route. The session is a cookie, which the browser attaches. */
export const client = createClient(routes, { baseUrl: '', fetch: watchedFetch })
