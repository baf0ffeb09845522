import { describe, expect, it } from '@jest/globals'
import { createTables, tableDefinitions } from '../../../lib/adapters/aws/dynamodb/tables.ts'
import { collections } from '../../../lib/collections.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import { tasks } from '../../../lib/tasks/rows.ts'
import { samples } from '../../contract/store-samples.ts'
import { startDatabase } from '../../fakes/database.ts'

const definitions = tableDefinitions(collections, ({ name }) => `stage-${name}`)
const tableDefinition = (name: string) =>
  definitions.find(({ create }) => create.TableName === `stage-${name}`)
type Row = { id: string; at: string; body: string }
const declared = (more: Partial<Collection<Row>>) =>
  [
    collection<Row, keyof Row, keyof Row>({ name: 'rows', key: 'id', indexes: {}, ...more }),
  ] as unknown as readonly Collection[]
const defining = (more: Partial<Collection<Row>>) => () =>
  tableDefinitions(declared(more), ({ name }) => name)

describe('the tables of the service', () => {
  it('are one per collection, and one for the counters', () => {
    const names = [...collections.map(({ name }) => name), 'counters'].map((name) => `stage-${name}`)
    expect(definitions.map(({ create }) => create.TableName)).toEqual(names)
    for (const { create } of definitions) expect(create.BillingMode).toBe('PAY_PER_REQUEST')
  })
  it('have the light fields of tasks in the indexes, all of them and no heavy one', () => {
    const indexes = tableDefinition('tasks')?.create.GlobalSecondaryIndexes ?? []
    expect(indexes.map(({ IndexName }) => IndexName)).toEqual(['newest', 'byStatus'])
    for (const { Projection } of indexes) {
      const fields = Projection?.NonKeyAttributes ?? []
      expect(fields).toEqual(
        expect.arrayContaining(['title', 'status', 'createdAt', 'fence', 'leaseExpiresAt', '_f']),
      )
      // https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html
      expect(fields.length).toBeLessThanOrEqual(20)
      expect(fields.filter((field) => tasks.detail?.some((heavy) => heavy === field))).toEqual([])
    }
  })
  it('keep the events of a task together, in order, without an index', () => {
    const { create } = tableDefinition('taskEvents') ?? {}
    expect(create?.KeySchema?.map(({ AttributeName }) => AttributeName)).toEqual(['taskId', 'id'])
    expect(create?.GlobalSecondaryIndexes).toBeUndefined()
  })
  it('have a stream where changes are counted, sent or published, and nowhere else', () => {
    const followed = collections
      .filter(({ counts, sends, publishes }) => counts ?? sends ?? publishes)
      .map(({ name }) => `stage-${name}`)
    const found = definitions.filter(({ create }) => create.StreamSpecification !== undefined)
    expect(found.map(({ create }) => create.TableName)).toEqual(followed)
    for (const { create } of found)
      expect(create.StreamSpecification).toEqual({
        StreamEnabled: true,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      })
  })
  it('let expire what is declared to, and nothing else', () => {
    const expiring = collections
      .filter(({ expires }) => expires !== undefined)
      .map(({ name }) => `stage-${name}`)
      // Of the counters, those of a window that has passed.
      .concat('stage-counters')
    const found = definitions.filter(({ ttl }) => ttl !== undefined).map(({ create }) => create.TableName)
    expect(found).toEqual(expiring)
  })
  it.each<[string, Partial<Collection<Row>>]>([
    ['a name that is no name', { name: 'a b' }],
    ['the name of the counters', { name: 'counters' }],
    ['an index over detail', { detail: ['body'], indexes: { newest: { by: 'body' } } }],
    [
      'more fields in one index than DynamoDB takes',
      {
        detail: ['body'],
        summary: Array.from({ length: 20 }, (_, n) => `field${n}` as 'at'),
        indexes: { newest: { by: 'at' } },
      },
    ],
    ['fixed fields that an index is made from', { fixed: ['at'], indexes: { newest: { by: 'at' } } }],
    ['fixed fields that are detail', { fixed: ['body'], detail: ['body'] }],
    [
      'more fields in indexes than DynamoDB takes',
      {
        detail: ['body'],
        summary: Array.from({ length: 19 }, (_, n) => `field${n}` as 'at'),
        indexes: Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`i${n}`, { by: 'at' }])),
      },
    ],
  ])('refuse %s', (_, more) => {
    expect(defining(more)).toThrow()
  })
  it('are created once, however often it is asked for', async () => {
    const { client, stop } = await startDatabase()
    const some = tableDefinitions(samples, ({ name }) => `twice-${name}`)
    await createTables(client, some)
    await expect(createTables(client, some)).resolves.toBeUndefined()
    await stop()
  })
})
