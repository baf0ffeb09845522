import { readdirSync } from 'node:fs'
import { tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { tables as routeTables } from '../lib/api/routes.ts'
import { collections } from '../lib/collections.ts'
import { functionAlarms, functionsIn } from './alarms.ts'
import { httpEvents } from './http-events.ts'
import { streamSources } from './streams.ts'
import { anyStage, tableName, tableResources } from './tables.ts'

// What serverless.yml takes from the code, as `${file(resources/computed.js):tables}`.

const definitions = tableDefinitions(collections, tableName(anyStage))
export const tables = tableResources(definitions, anyStage)
export const streams = streamSources(definitions, collections, anyStage)
export const alarms = functionAlarms(
  functionsIn(readdirSync(new URL('../functions', import.meta.url))),
  anyStage,
)
export const http = httpEvents(routeTables)
/** Files that one upload reports arrive together, and cost one listing of the bucket. */
export const memory = [
  ...http.memory,
  {
    sqs: {
      arn: { 'Fn::GetAtt': ['MemoryEvents', 'Arn'] },
      batchSize: 1_000,
      maximumBatchingWindow: 2,
      maximumConcurrency: 2,
      functionResponseType: 'ReportBatchItemFailures',
    },
  },
]
