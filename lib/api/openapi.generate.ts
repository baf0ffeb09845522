import { writeFileSync } from 'node:fs'
import { VERSION } from '../version.ts'
import { openApiDocument } from './openapi.ts'
import { tables } from './routes.ts'

/** Writes the API's description where other tools read it: `npm run openapi`. */
const file = new URL('../../resources/openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument({ tables, version: VERSION }), null, 2)}\n`)
