import { createClient } from '../../../../lib/api/client.ts'
import { routes } from './at-build.ts'
import { watchedFetch } from './connection.ts'

/** The session is a cookie that the browser attaches. */
export const client = createClient(routes, { baseUrl: '', fetch: watchedFetch })
