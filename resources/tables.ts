import type { TableDefinition } from '../lib/adapters/aws/dynamodb/tables.ts'
import type { Collection } from '../lib/core/collection.ts'

/** The differences between stages: the prefix of all names, and what happens to a table that is replaced or removed. */
export type Stage = {
  prefix: string
  onReplacement: string
  onRemoval: string
  deletionProtection: string | boolean
}

/** Any stage, with the variables that serverless.yml fills in. */
export const anyStage: Stage = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the Serverless Framework.
  prefix: '${self:service}-${sls:stage}-',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
  onReplacement: '${param:onRemoval}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
  onRemoval: '${self:custom.deletionPolicy.${param:onRemoval}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
  deletionProtection: '${param:deletionProtection}',
}

/** The name of a collection's table in a stage. */
export const tableName =
  ({ prefix }: Stage) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    prefix + name

/** The tables for CloudFormation: on demand, recoverable to any second of 35 days, encrypted by a key of AWS. */
export const tableResources = (definitions: readonly TableDefinition[], stage: Stage) => ({
  Resources: Object.fromEntries(
    definitions.map((table) => [logicalName(table, stage), resource(table, stage)]),
  ),
})

/** `tasks` → `Tasks`, as CloudFormation names what belongs to a table or function. */
export const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** `tasks` → `TasksTable`. */
export const logicalTable = (collection: string) => `${capitalized(collection)}Table`

export const logicalName = ({ create }: TableDefinition, { prefix }: Stage) =>
  logicalTable(create.TableName.slice(prefix.length))

const resource = (
  { create: { StreamSpecification: stream, ...create }, ttl }: TableDefinition,
  { onReplacement, onRemoval, deletionProtection }: Stage,
) => ({
  Type: 'AWS::DynamoDB::Table',
  DeletionPolicy: onRemoval,
  UpdateReplacePolicy: onReplacement,
  Properties: {
    ...create,
    // CloudFormation does not accept `StreamEnabled`.
    ...(stream === undefined ? {} : { StreamSpecification: { StreamViewType: stream.StreamViewType } }),
    DeletionProtectionEnabled: deletionProtection,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    SSESpecification: { SSEEnabled: true },
    ...(ttl === undefined ? {} : { TimeToLiveSpecification: { AttributeName: ttl, Enabled: true } }),
  },
})
