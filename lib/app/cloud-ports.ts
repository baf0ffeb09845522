import { openDynamoDb, openS3, openSqs } from '../adapters/aws/clients.ts'
import { createDynamoStore } from '../adapters/aws/dynamodb/store.ts'
import { createKmsCipher, openKms } from '../adapters/aws/kms.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Memory } from '../adapters/aws/s3-memory.ts'
import { createSqsReceiver } from '../adapters/aws/sqs/receiver.ts'
import { createRedelivery } from '../adapters/aws/sqs/sqs-batch.ts'
import { createCipher } from '../adapters/node/cipher.ts'
import { createClock } from '../adapters/node/clock.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog } from '../adapters/node/log.ts'
import { collections } from '../collections.ts'
import type { Ports } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import type { Collection } from '../core/collection.ts'
import { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import { createFeed } from '../feed/feed.ts'
import { createHolds } from '../holds/service.ts'
import { createProgressPublisher, createStreamPublisher } from '../live/publishing.ts'
import { createStoredWatch } from '../live/watch.ts'
import { createStoredKeys } from '../model-keys/stored-keys.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { FUNCTION_BODY_BYTES } from '../runners/state-size.ts'
import { RunTaskSchema } from '../tasks/schema.ts'
import { openLocalCipher } from './cipher.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { createLeftToRunners, openTaskQueue, runnerUrls } from './cloud-task-queue.ts'
import { openEmbedding, openOutside } from './outside.ts'
import { required } from './required.ts'

/** The name of a collection's table: `agent-tasks-dev-deadLetters`. */
export const tableNames =
  (prefix: string) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    `${prefix}${name}`

export const openBucket = (config: Config) => ({
  client: openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT }),
  bucket: required(config, 'FILES_BUCKET'),
})

/** The log of a function, and its storage; only rows with long texts, such as tasks and messages, need the bucket. */
export const openStorage = (config: Config, bucket?: ReturnType<typeof openBucket>) => {
  const clock = createClock()
  const masker = createMasker(config.secrets)
  const log = createLog({ level: config.LOG_LEVEL, masker })
  const store = createDynamoStore({
    client: openDynamoDb({ region: config.AWS_REGION, endpoint: config.DYNAMODB_ENDPOINT }),
    collections,
    clock,
    random: Math.random,
    tableName: tableNames(config.TABLE_PREFIX),
    ...(bucket ? { blobs: createS3Blobs(bucket) } : {}),
    onLost: (lost) => log.warn(lost, 'stored objects of a row are gone'),
  })
  return { store, clock, entropy, ids: createIds({ clock }), log, masker }
}

/**
 * The ports of a function: storage, queues and files of the cloud, or their emulators. Clients connect at their first call.
 * Further settings, as those with secrets, may share the `store` of a function.
 */
export const openCloudPorts = (config: Config, store?: Store) => {
  const bucket = openBucket(config)
  const opened = openStorage(config, bucket)
  const storage = { ...opened, ...(store && { store }) }
  const { clock, log } = storage
  const client = openSqs({ region: config.AWS_REGION, endpoint: config.SQS_ENDPOINT })
  const normal = required(config, 'TASK_QUEUE_URL')
  const feed = createFeed(storage)
  const liveWatch = createStoredWatch(storage)
  const outside = openOutside(config, storage)
  const processes = 'many' as const
  const cipher = openCloudCipher(config, storage)
  return {
    processes,
    ...storage,
    ...outside,
    holds: createHolds({ ...storage, processes }),
    modelKeys: createStoredKeys({ ...storage, processes, cipher }),
    feed,
    liveWatch,
    publishProgress: createProgressPublisher({
      publish: createStreamPublisher(liveWatch, { feed, log }),
      clock,
    }),
    taskQueue: {
      ...openTaskQueue(config, { client, clock, log }),
      running: config.WORKER === 'on',
      concurrency: config.QUEUE_CONCURRENCY,
    },
    runnerQueue:
      config.RUNNERS === 'on'
        ? createSqsReceiver({ client, urls: runnerUrls(config), parse: RunTaskSchema, clock, log })
        : undefined,
    leftToRunners: createLeftToRunners(config, log),
    mostBodyBytes: FUNCTION_BODY_BYTES,
    notificationQueue: { running: true, concurrency: config.QUEUE_NOTIFICATION_CONCURRENCY },
    redeliverIn: createRedelivery({ client, anyUrl: normal, clock }),
    cipher,
    memoryFiles: createS3Memory(bucket),
    memoryCopies: createS3Blobs(bucket),
    embedding: lazyEmbedding(config, { ...storage, ...outside }),
    // The bucket reports changes to a queue; an emulator does not.
    watchingMemory: () => ({ enabled: true, watching: config.S3_ENDPOINT === undefined }),
  } satisfies Ports & { redeliverIn: unknown }
}
export type CloudPorts = ReturnType<typeof openCloudPorts>

/** The embedding model. Its provider's key is read at the first text; without one the search goes by words. */
const lazyEmbedding = (
  config: Config,
  needs: Pick<Ports, 'clock' | 'masker' | 'breakers'>,
): Embedding | undefined => {
  const { EMBEDDING_MODEL: model } = config
  if (model === undefined) return undefined
  const opened = openedWithSecrets(({ providers }) => openEmbedding(model, { providers, ...needs }), {
    settings: () => config,
  })
  return { model, embed: async (...args) => (await opened()).embed(...args) }
}

type CipherNeeds = { entropy: Entropy; clock: Clock }

/** The cipher of a function: KMS, or a key that all functions get. A stack on emulators may use a key file. */
export const openCloudCipher = (config: Config, needs: CipherNeeds): Cipher => {
  const { KMS_KEY_ID: keyId, ENCRYPTION_KEY: ownKey, DYNAMODB_ENDPOINT } = config
  const given = ownKey && createCipher({ keys: () => [ownKey], entropy: needs.entropy })
  if (keyId !== undefined) {
    const place = { region: config.AWS_REGION, endpoint: config.KMS_ENDPOINT }
    return createKmsCipher({ ...needs, connect: () => openKms(place), keyId, ...(given && { older: given }) })
  }
  if (given) return given
  return DYNAMODB_ENDPOINT === undefined ? notConfigured : openLocalCipher(config, needs)
}

const throwNotConfigured = async (): Promise<never> => {
  throw new Problem(
    'unavailable',
    'encryption_not_configured',
    'Secrets cannot be stored. Set KMS_KEY_ID or ENCRYPTION_KEY for the deployment',
  )
}
const notConfigured: Cipher = { seal: throwNotConfigured, open: throwNotConfigured }
