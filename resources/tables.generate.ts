import { readdirSync, writeFileSync } from 'node:fs'
import { tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { collections } from '../lib/collections.ts'
import { functionAlarms, functionsIn } from './alarms.ts'
import { streamSources } from './streams.ts'
import { anyStage, tableName, tableResources } from './tables.ts'
import { toYaml } from './yaml.ts'

/** Writes the tables, streams and alarms that serverless.yml includes: `npm run tables`. */
const write = (name: string, source: string, resources: object) => {
  const head = `# Made from ${source} by \`npm run tables\`; a test fails when it is not fresh.\n`
  writeFileSync(new URL(name, import.meta.url), head + toYaml(resources))
}
const definitions = tableDefinitions(collections, tableName(anyStage))
write('tables.yml', 'lib/collections.ts', tableResources(definitions, anyStage))
write('streams.yml', 'lib/collections.ts', streamSources(definitions, collections, anyStage))
const files = readdirSync(new URL('../functions', import.meta.url))
write('alarms-functions.yml', 'the files in functions/', functionAlarms(functionsIn(files), anyStage))
