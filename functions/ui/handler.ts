import { fileURLToPath } from 'node:url'
import { servePage } from '../../lib/app/cloud-page.ts'
import type { Place } from '../../lib/http/router.ts'
import everywhere from '../../resources/routes.json' with { type: 'json' }

/** The page; also where requests go that no function has a route for, to be answered 404 or 405. */
export const handler = servePage(
  fileURLToPath(new URL('dist/', import.meta.url)),
  everywhere.routes as readonly Place[],
)
