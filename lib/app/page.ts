import { fileURLToPath } from 'node:url'
import { createPageFiles } from '../adapters/node/page-files.ts'
import type { HttpHandler } from '../http/event.ts'
import { type HttpNeeds, lambda } from '../http/lambda.ts'
import { createPage } from '../http/page.ts'

/** What `npm run page` builds. */
const FOLDER = fileURLToPath(new URL('../../functions/ui/dist/', import.meta.url))

/** The page of a service in one process; what is neither its own nor a route's is answered 404. */
export const openPage = (http: HttpNeeds): HttpHandler =>
  createPage({ files: createPageFiles(FOLDER), otherwise: lambda(http, {}, {}) })
