import { openDynamoDb, openS3, openSqs, openSsm } from '../adapters/aws/clients.ts'
import { createDynamoStore } from '../adapters/aws/dynamodb/store.ts'
import { asUnavailable } from '../adapters/aws/failure.ts'
import { createKmsCipher, openKms } from '../adapters/aws/kms.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Archive } from '../adapters/aws/s3-archive.ts'
import { readSecrets } from '../adapters/aws/secrets.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../adapters/aws/sqs/redelivery.ts'
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
import { createFeed } from '../adapters/store/feed.ts'
import { createTrackers } from '../adapters/trackers/catalog.ts'
import { createWebSearchProviders } from '../adapters/web-search/catalog.ts'
import { collections } from '../collections.ts'
import { codeHostPlace, composeAccountAccess, type SignInPorts } from '../composition/accounts.ts'
import type { AuthContext, AuthPorts } from '../composition/auth.ts'
import type { WebSearchPorts } from '../composition/chat.ts'
import type { WorkPorts } from '../composition/work.ts'
import { badSetting, type Config, readConfigWith } from '../config.ts'
import type { Collection } from '../core/collection.ts'
import { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import { apiUrlsOf } from '../oauth/catalog.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Tracker, TrackerName, Trackers } from '../ports/tracker.ts'
import { createExportCopies, type KeepExport } from '../tasks/export.ts'
import type { RunTask } from '../tasks/schema.ts'
import { withTransitionLog } from '../tasks/transitions.ts'
import { openBreakers } from './breakers.ts'
import { openLocalCipher } from './cipher.ts'
import { openTracing } from './tracing.ts'

/** The name of a collection's table: `agent-tasks-dev-deadLetters`. */
export const tableNames =
  (prefix: string) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    `${prefix}${name}`

/** A setting that the deployment makes. Throws Problem `bad_setting` for one that is absent. */
export const required = (
  config: Config,
  name: 'FILES_BUCKET' | 'TASK_QUEUE_URL' | 'TASK_URGENT_QUEUE_URL' | 'NOTIFICATION_QUEUE_URL',
): string => {
  const value = config[name]
  if (value === undefined) throw badSetting(`${name}: must be set in mode pro`)
  return value
}

/**
 * The settings, and with them those that are kept as encrypted parameters, where the deployment names a place of them.
 * Throws Problem `unavailable` `secrets_unavailable` when SSM cannot be asked.
 */
export const withSecrets = async (given: Config): Promise<Config> => {
  const { SECRETS_PATH: path, AWS_REGION: region } = given
  if (path === undefined) return given
  try {
    return readConfigWith(await readSecrets(await openSsm({ region }), path))
  } catch (thrown) {
    throw asUnavailable(thrown, 'secrets_unavailable', 'SSM')
  }
}

/** The bucket, and what speaks to it. */
export const openBucket = (config: Config) => ({
  client: openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT }),
  bucket: required(config, 'FILES_BUCKET'),
})

/** The bucket of large bodies. */
export const openBlobs = (config: Config): Blobs => createS3Blobs(openBucket(config))

/**
 * The ports of every function: storage in the cloud, or an emulator of it. Rows with long texts, such as those of tasks, tool
 * calls and messages, need `blobs`.
 */
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
  const tracing = openTracing(config, { clock, log })
  return {
    store: withTransitionLog(store, log),
    clock,
    entropy,
    ids: createIds({ clock }),
    log,
    masker,
    tracing,
  }
}

/** The ports of a function that has to do with tasks: storage and queues of the cloud, or emulators of them. */
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
    notificationQueue: {
      running: true,
      concurrency: config.QUEUE_NOTIFICATION_CONCURRENCY,
    },
    breakers: openBreakers(clock),
    random: Math.random,
    queueMode: 'sqs',
    defersFailing: true,
  }
  return { ...ports, redeliverIn: createRedelivery({ client: sqs, anyUrl: normal, clock }) }
}

/** The ports of work that some functions have, and the others do without; their clients make bundles large. */
export type Sending = Pick<WorkPorts, 'cipher' | 'outbound' | 'repositories'>

const notHere = async (): Promise<never> => {
  throw new Error('This function sends nothing, has no secrets to keep and takes no repositories')
}

/** Of a function that leaves sending, and secrets, to others. */
export const withoutSending: Sending = {
  cipher: { seal: notHere, open: notHere },
  outbound: { check: notHere, send: notHere },
  repositories: { check: notHere },
}

/** Of a function that takes tasks, and the repositories that they name. */
export const openTasking = (config: Config): Sending => ({
  ...withoutSending,
  repositories: openRepositories(config),
})

/** Of a function that takes tasks, and the addresses and secrets which others send to and with. */
export const openAccepting = (config: Config): Sending => {
  const clock = createClock()
  const { check } = createOutboundCheck({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  return {
    ...openTasking(config),
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: { ...withoutSending.outbound, check },
  }
}

/** Of a function that sends to addresses which users chose, and keeps their secrets. */
export const openSending = (config: Config): Sending => {
  const clock = createClock()
  return {
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS }),
    repositories: openRepositories(config),
  }
}

/** The repositories that tasks may name, as the settings have it. */
export const openRepositories = (config: Config) => {
  const { OUTBOUND_ALLOW_HOSTS: allow, REPOSITORY_ROOTS: roots } = config
  return createRepositories({ clock: createClock(), allow, roots, ...codeHostPlace(config) })
}

type CipherNeeds = { entropy: Entropy; clock: Clock }

/** The cipher of a function: KMS, or a key that all functions are given. A stack on emulators may do with a key file. */
export const openCloudCipher = (config: Config, needs: CipherNeeds): Cipher => {
  const { KMS_KEY_ID: keyId, ENCRYPTION_KEY: given, DYNAMODB_ENDPOINT } = config
  const isEmulated = DYNAMODB_ENDPOINT !== undefined
  if (keyId !== undefined) return openKmsCipher(keyId, config, needs)
  if (given !== undefined) return createCipher({ keys: () => [given], entropy: needs.entropy })
  return isEmulated ? openLocalCipher(config, needs) : notConfigured
}

const openKmsCipher = (keyId: string, config: Config, { entropy, clock }: CipherNeeds): Cipher => {
  const { AWS_REGION: region, KMS_ENDPOINT: endpoint, ENCRYPTION_KEY: given } = config
  const older = given && { older: createCipher({ keys: () => [given], entropy }) }
  return createKmsCipher({ connect: () => openKms({ region, endpoint }), keyId, entropy, clock, ...older })
}

const refuse = async (): Promise<never> => {
  throw new Problem(
    'unavailable',
    'encryption_not_configured',
    'Secrets cannot be stored yet: set KMS_KEY_ID (or ENCRYPTION_KEY) for the deployment',
  )
}
const notConfigured: Cipher = { seal: refuse, open: refuse }

/** The ports of a function that people sign in by. */
export const openSignInPorts = (config: Config, ports: AuthPorts): SignInPorts => ({
  ...ports,
  passwords: createArgon2({ entropy }),
  cipher: openCloudCipher(config, ports),
  providerFetch: createProviderFetch(),
})

/** Where issues are, as a function speaks to them. */
export const openTrackers = (config: Config, { clock }: Pick<AuthPorts, 'clock'>): Trackers =>
  createTrackers({ fetch: createProviderFetch(), clock, apiUrls: apiUrlsOf(config.accounts) })

/**
 * Linked accounts, and their providers, of a function that speaks to those in their owners' names. What the operator said of
 * the providers is read when one is first needed; when it cannot be read, the next one tries again.
 */
export const openAccounts = (
  auth: Pick<AuthContext, 'accountStatusOf' | 'adminIds'>,
  ports: AuthPorts,
  config: Config,
): { trackers: Trackers; access: AccountAccess } => {
  type Opened = { trackers: Trackers; access: AccountAccess }
  let opened: Promise<Opened> | undefined
  const open = async (): Promise<Opened> => {
    const { ACCOUNT_SECRETS_PATH: path } = config
    const known = path === undefined ? config : await withSecrets({ ...config, SECRETS_PATH: path })
    const outside = { cipher: openCloudCipher(config, ports), providerFetch: createProviderFetch() }
    const access = composeAccountAccess(auth, { ...ports, ...outside }, known)
    return { trackers: openTrackers(known, ports), access }
  }
  const there = (): Promise<Opened> => {
    opened ??= open().catch((thrown) => {
      opened = undefined
      throw thrown
    })
    return opened
  }
  const tracker = (name: TrackerName): Tracker => ({
    comment: async (...given) => (await there()).trackers[name].comment(...given),
    edit: async (...given) => (await there()).trackers[name].edit(...given),
    find: async (...given) => (await there()).trackers[name].find(...given),
    read: async (...given) => (await there()).trackers[name].read(...given),
  })
  return {
    trackers: { codehost: tracker('codehost'), trackera: tracker('trackera'), trackerb: tracker('trackerb') },
    access: {
      writerAt: async (name) => (await there()).access.writerAt(name),
      readerOf: async (userId, name) => (await there()).access.readerOf(userId, name),
      tokenOf: async (id, name) => (await there()).access.tokenOf(id, name),
    },
  }
}

/** The ports of the search of the web. */
export const openWebSearchPorts = (config: Config, ports: AuthPorts, outbound: Outbound): WebSearchPorts => ({
  ...ports,
  cipher: openCloudCipher(config, ports),
  outbound,
  webSearchProviders: createWebSearchProviders({ outbound, clock: ports.clock }),
})

/** The same for its settings alone: a function that searches nothing is small without the client of those that do. */
export const openWebSearchSettingsPorts = (config: Config, ports: AuthPorts): WebSearchPorts => {
  const { check } = createOutboundCheck({ clock: ports.clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const send = async (): Promise<never> => {
    throw new Error('This function searches nothing')
  }
  return openWebSearchPorts(config, ports, { check, send })
}

/** Copies of exports in the bucket; a rule of it removes them after 30 days. */
export const openExportCopies = (config: Config, { ids, log }: Pick<AuthPorts, 'ids' | 'log'>): KeepExport =>
  createExportCopies({ archive: createS3Archive(openBucket(config)), ids, log })
