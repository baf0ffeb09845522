import { VERSION } from '../version.ts'
import { openApiDocument } from './openapi.ts'
import { tables } from './routes.ts'

/** The description of the API. A packaged function has it as data: resources/bundle.js. */
export const document = openApiDocument({ tables, version: VERSION })
