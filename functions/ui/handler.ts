import { fileURLToPath } from 'node:url'
import { servePage } from '../../lib/app/cloud-page.ts'
import type { Place } from '../../lib/http/router.ts'
import document from '../../resources/openapi.json' with { type: 'json' }

/** Every route that there is, as the description has it. */
const everywhere = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries<object>(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase() as Place['method'],
    ...('x-writes' in operation ? { writes: true as const } : {}),
  })),
)

/** The page; also where requests go that no function has a route for, to be answered 404 or 405. */
export const handler = servePage(fileURLToPath(new URL('dist/', import.meta.url)), everywhere)
