import { readFileSync, writeFileSync } from 'node:fs'
import type { Route } from '../http/route.ts'
import { VERSION } from '../version.ts'
import { openApiDocument } from './openapi.ts'
import { routesAsMarkdown } from './reference.ts'
import { tables } from './routes.ts'

/** Writes the API's description for other tools: `npm run openapi`. */
const file = new URL('../../resources/openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument({ tables, version: VERSION }), null, 2)}\n`)

/** The routes for the function of the page. */
const places = Object.values(tables).flatMap((table) =>
  Object.values<Route>(table).map(({ method, path, writes }) => ({
    method,
    path,
    ...(writes ? { writes } : {}),
  })),
)
writeFileSync(
  new URL('../../resources/routes.json', import.meta.url),
  `${JSON.stringify({ routes: places }, null, 2)}\n`,
)

/** The page for people: everything after the heading of its routes. */
const page = new URL('../../docs/reference/api.md', import.meta.url)
const [before = ''] = readFileSync(page, 'utf8').split(/(?<=^## Routes\n)/m)
writeFileSync(page, `${before}\n${routesAsMarkdown(tables)}\n`)
