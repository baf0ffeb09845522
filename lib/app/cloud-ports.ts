import { openDynamoDb, openS3, openSqs } from '../adapters/aws/clients.ts'
import { createDynamoStore } from '../adapters/aws/dynamodb/store.ts'
import { createKmsCipher, openKms } from '../adapters/aws/kms.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Archive } from '../adapters/aws/s3-archive.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../adapters/aws/sqs/sqs-batch.ts'
import { createArgon2 } from '../adapters/node/argon2.ts'
import { createCipher } from '../adapters/node/cipher.ts'
import { createClock } from '../adapters/node/clock.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog } from '../adapters/node/log.ts'
import { createOutbound } from '../adapters/node/outbound.ts'
import { createOutboundCheck } from '../adapters/node/outbound-check.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { createRepositories } from '../adapters/node/repositories.ts'
import { createTrackers } from '../adapters/trackers/catalog.ts'
import { createWebSearchProviders } from '../adapters/web-search/catalog.ts'
import { collections } from '../collections.ts'
import { codeHostPlace, composeAccountAccess, type SignInPorts } from '../composition/accounts.ts'
import type { AuthContext, AuthPorts } from '../composition/auth.ts'
import type { WebSearchPorts } from '../composition/chat.ts'
import type { WorkPorts } from '../composition/work.ts'
import { badSetting, type Config } from '../config/config.ts'
import type { Collection } from '../core/collection.ts'
import { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import { createFeed } from '../feed/feed.ts'
import { providerApiUrls } from '../oauth/catalog.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Tracker, TrackerName, Trackers } from '../ports/tracker.ts'
import { createExportCopies, type KeepExport } from '../tasks/export.ts'
import type { RunTask } from '../tasks/schema.ts'
import { openLocalCipher } from './cipher.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { openBreakers } from './providers.ts'
import { openTracing } from './tracing.ts'

/** The name of a collection's table: `agent-tasks-dev-deadLetters`. */
export const tableNames =
  (prefix: string) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    `${prefix}${name}`

/** A setting that the deployment makes. Throws Problem `bad_setting` when it is absent. */
export const required = (
  config: Config,
  name: 'FILES_BUCKET' | 'TASK_QUEUE_URL' | 'TASK_URGENT_QUEUE_URL' | 'NOTIFICATION_QUEUE_URL',
): string => {
  const value = config[name]
  if (value === undefined) throw badSetting(`${name}: must be set in mode pro`)
  return value
}

export const openBucket = (config: Config) => ({
  client: openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT }),
  bucket: required(config, 'FILES_BUCKET'),
})

export const openBlobs = (config: Config): Blobs => createS3Blobs(openBucket(config))

/** The ports of every function. Rows with long texts, such as tasks, tool calls and messages, need `blobs`. */
export const openBasePorts = (config: Config, blobs?: Blobs): AuthPorts => {
  const clock = createClock()
  const masker = createMasker(config.secrets)
  const log = createLog({ level: config.LOG_LEVEL, masker })
  const store = createDynamoStore({
    client: openDynamoDb({ region: config.AWS_REGION, endpoint: config.DYNAMODB_ENDPOINT }),
    collections,
    clock,
    random: Math.random,
    tableName: tableNames(config.TABLE_PREFIX),
    ...(blobs ? { blobs } : {}),
    onLost: (lost) => log.warn(lost, 'stored objects of a row are gone'),
  })
  const tracing = openTracing(config, { clock, log })
  return {
    store,
    clock,
    entropy,
    ids: createIds({ clock }),
    log,
    masker,
    tracing,
  }
}

/** The ports of a function with tasks: storage and queues of the cloud, or their emulators. */
export const openWorkPorts = (config: Config, sending: Sending) => {
  const sqs = openSqs({ region: config.AWS_REGION, endpoint: config.SQS_ENDPOINT })
  const base = openBasePorts(config, openBlobs(config))
  const { clock } = base
  const normal = required(config, 'TASK_QUEUE_URL')
  const urgent = required(config, 'TASK_URGENT_QUEUE_URL')
  const ports: Omit<WorkPorts, 'adapters'> = {
    ...base,
    ...sending,
    feed: createFeed(base),
    taskQueue: {
      ...createSqsQueue<RunTask>({ client: sqs, urls: { urgent, normal }, clock }),
      running: true,
      concurrency: config.QUEUE_CONCURRENCY,
    },
    notificationQueue: { running: true, concurrency: config.QUEUE_NOTIFICATION_CONCURRENCY },
    breakers: openBreakers(clock),
    random: Math.random,
    queueMode: 'sqs',
    defersFailing: true,
  }
  return { ...ports, redeliverIn: createRedelivery({ client: sqs, anyUrl: normal, clock }) }
}

/** The ports of work that only some functions have; their clients make bundles large. */
export type Sending = Pick<WorkPorts, 'cipher' | 'outbound' | 'repositories'>

const notHere = async (): Promise<never> => {
  throw new Error('This function sends nothing, has no secrets to keep and takes no repositories')
}

/** For a function that sends nothing and opens no secrets. */
export const withoutSending: Sending = {
  cipher: { seal: notHere, open: notHere },
  outbound: { check: notHere, send: notHere },
  repositories: { check: notHere },
}

/** For a function that creates tasks, and checks their repositories. */
export const openTasking = (config: Config): Sending => ({
  ...withoutSending,
  repositories: openRepositories(config),
})

/** For a function that creates tasks, and stores addresses and secrets for functions that send. */
export const openAccepting = (config: Config): Sending => {
  const clock = createClock()
  const { check } = createOutboundCheck({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  return {
    ...openTasking(config),
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: { ...withoutSending.outbound, check },
  }
}

/** For a function that sends to users' addresses with their secrets. */
export const openSending = (config: Config): Sending => {
  const clock = createClock()
  return {
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS }),
    repositories: openRepositories(config),
  }
}

/** The repositories that tasks may name, by the settings. */
export const openRepositories = (config: Config) => {
  const { OUTBOUND_ALLOW_HOSTS: allow, REPOSITORY_ROOTS: roots } = config
  return createRepositories({ clock: createClock(), allow, roots, ...codeHostPlace(config) })
}

type CipherNeeds = { entropy: Entropy; clock: Clock }

/** The cipher of a function: KMS, or a key that all functions get. A stack on emulators may use a key file. */
export const openCloudCipher = (config: Config, needs: CipherNeeds): Cipher => {
  const { KMS_KEY_ID: keyId, ENCRYPTION_KEY: ownKey, DYNAMODB_ENDPOINT } = config
  const isEmulated = DYNAMODB_ENDPOINT !== undefined
  if (keyId !== undefined) return openKmsCipher(keyId, config, needs)
  if (ownKey !== undefined) return createCipher({ keys: () => [ownKey], entropy: needs.entropy })
  return isEmulated ? openLocalCipher(config, needs) : notConfigured
}

const openKmsCipher = (keyId: string, config: Config, { entropy, clock }: CipherNeeds): Cipher => {
  const { AWS_REGION: region, KMS_ENDPOINT: endpoint, ENCRYPTION_KEY: ownKey } = config
  const older = ownKey && { older: createCipher({ keys: () => [ownKey], entropy }) }
  return createKmsCipher({ connect: () => openKms({ region, endpoint }), keyId, entropy, clock, ...older })
}

const throwNotConfigured = async (): Promise<never> => {
  throw new Problem(
    'unavailable',
    'encryption_not_configured',
    'Secrets cannot be stored yet: set KMS_KEY_ID (or ENCRYPTION_KEY) for the deployment',
  )
}
const notConfigured: Cipher = { seal: throwNotConfigured, open: throwNotConfigured }

export const openSignInPorts = (config: Config, ports: AuthPorts): SignInPorts => ({
  ...ports,
  passwords: createArgon2({ entropy }),
  cipher: openCloudCipher(config, ports),
  providerFetch: createProviderFetch(),
})

export const openTrackers = (config: Config, { clock }: Pick<AuthPorts, 'clock'>): Trackers =>
  createTrackers({ fetch: createProviderFetch(), clock, apiUrls: providerApiUrls(config.accounts) })

/** Linked accounts and their providers, whose settings are read when first needed, and again when secrets are. */
export const openAccounts = (
  auth: Pick<AuthContext, 'readAccountStatus' | 'adminIds'>,
  ports: AuthPorts,
  config: Config,
): { trackers: Trackers; access: AccountAccess } => {
  const open = (known: Config): { trackers: Trackers; access: AccountAccess } => {
    const outside = { cipher: openCloudCipher(config, ports), providerFetch: createProviderFetch() }
    const access = composeAccountAccess(auth, { ...ports, ...outside }, known)
    return { trackers: openTrackers(known, ports), access }
  }
  const openedAccounts = openedWithSecrets(open, {
    settings: () => ({ ...config, SECRETS_PATH: config.ACCOUNT_SECRETS_PATH }),
  })
  const tracker = (name: TrackerName): Tracker => ({
    comment: async (...args) => (await openedAccounts()).trackers[name].comment(...args),
    edit: async (...args) => (await openedAccounts()).trackers[name].edit(...args),
    find: async (...args) => (await openedAccounts()).trackers[name].find(...args),
    read: async (...args) => (await openedAccounts()).trackers[name].read(...args),
  })
  return {
    trackers: { codehost: tracker('codehost'), trackera: tracker('trackera'), trackerb: tracker('trackerb') },
    access: {
      writerAt: async (name) => (await openedAccounts()).access.writerAt(name),
      readerFor: async (userId, name) => (await openedAccounts()).access.readerFor(userId, name),
      validToken: async (id, name) => (await openedAccounts()).access.validToken(id, name),
    },
  }
}

export const openWebSearchPorts = (config: Config, ports: AuthPorts, outbound: Outbound): WebSearchPorts => ({
  ...ports,
  cipher: openCloudCipher(config, ports),
  outbound,
  webSearchProviders: createWebSearchProviders({ outbound, clock: ports.clock }),
})

/** The settings of web search only: without the clients of searches a function stays small. */
export const openWebSearchSettingsPorts = (config: Config, ports: AuthPorts): WebSearchPorts => {
  const { check } = createOutboundCheck({ clock: ports.clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const send = async (): Promise<never> => {
    throw new Error('This function searches nothing')
  }
  return openWebSearchPorts(config, ports, { check, send })
}

/** Copies of exports in the bucket; its lifecycle rule removes them after 30 days. */
export const openExportCopies = (config: Config, { ids, log }: Pick<AuthPorts, 'ids' | 'log'>): KeepExport =>
  createExportCopies({ archive: createS3Archive(openBucket(config)), ids, log })
