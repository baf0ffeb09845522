import { openDynamoDb } from '../adapters/aws/clients.ts'
import { createDynamoStore } from '../adapters/aws/dynamodb/store.ts'
import { createClock } from '../adapters/node/clock.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog } from '../adapters/node/log.ts'
import { collections } from '../collections.ts'
import type { Config } from '../config.ts'
import type { Collection } from '../core/collection.ts'
import { createMasker } from '../core/masker.ts'
import type { AuthPorts } from '../join/auth-context.ts'
import type { Blobs } from '../ports/blobs.ts'
import { withTransitionLog } from '../tasks/transition-log.ts'

/** The name of a collection's table: `agent-tasks-dev-deadLetters`. */
export const tableNames =
  (prefix: string) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    `${prefix}${name}`

/** The outside world of a function that has nothing to do with tasks: storage in the cloud, or an emulator of it. */
export const openBasePorts = (config: Config, blobs?: Blobs): AuthPorts => {
  const clock = createClock()
  const store = createDynamoStore({
    client: openDynamoDb({ region: config.AWS_REGION, endpoint: config.DYNAMODB_ENDPOINT }),
    collections,
    clock,
    random: Math.random,
    tableName: tableNames(config.TABLE_PREFIX),
    ...(blobs ? { blobs } : {}),
  })
  const masker = createMasker(config.secrets)
  const log = createLog({ level: config.LOG_LEVEL, masker })
  return { store: withTransitionLog(store, log), clock, entropy, ids: createIds({ clock }), log, masker }
}
