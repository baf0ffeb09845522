import { readdirSync } from 'node:fs'
import { tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { tables as routeTables } from '../lib/api/routes.ts'
import { collections } from '../lib/collections.ts'
import { functionsIn, alarms as serviceAlarms } from './alarms.ts'
import { dashboard as serviceDashboard } from './dashboard.ts'
import { httpEvents } from './http-events.ts'
import { queueResources } from './queues.ts'
import { functionRoles, roleName } from './roles.ts'
import { streamSources } from './streams.ts'
import { anyStage, tableName, tableResources } from './tables.ts'

// What serverless.yml takes from the code, as `${file(resources/computed.js):tables}`.

const definitions = tableDefinitions(collections, tableName(anyStage))
export const tables = tableResources(definitions, anyStage)
export const queues = queueResources(anyStage)
export const streams = streamSources(definitions, collections, anyStage)
const functions = functionsIn(readdirSync(new URL('../functions', import.meta.url)))
export const alarms = serviceAlarms(functions, anyStage)
/** The role of each function, and the names of all. */
export const roles = functionRoles(functions, streams.arns)
export const roleReferences = functions.map((name) => ({ Ref: roleName(name) }))
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
export const dashboard = serviceDashboard(functions, [...Object.keys(http), 'ui', 'agentic'], anyStage)
