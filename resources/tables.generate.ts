import { writeFileSync } from 'node:fs'
import { tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { collections } from '../lib/collections.ts'
import { anyStage, tableName, tableResources } from './tables.ts'
import { toYaml } from './yaml.ts'

/** Writes the tables where serverless.yml reads them: `npm run tables`. */
const head = '# Made from lib/collections.ts by `npm run tables`; a test fails when it is not fresh.\n'
const file = new URL('tables.yml', import.meta.url)
const definitions = tableDefinitions(collections, tableName(anyStage))
writeFileSync(file, head + toYaml(tableResources(definitions, anyStage)))
