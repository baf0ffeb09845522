import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { logStrayErrors } from '../adapters/agents/stray-errors.ts'
import { createMemoryQueue } from '../adapters/memory/queue.ts'
import { createClock } from '../adapters/node/clock.ts'
import { createFolderCopies } from '../adapters/node/folder-copies.ts'
import { createFolderMemory } from '../adapters/node/folder-memory.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog, isOnTerminal, turnOutput } from '../adapters/node/log.ts'
import { createMemoryWatch } from '../adapters/node/memory-watch.ts'
import { createPageFiles } from '../adapters/node/page-files.ts'
import { createSmtp } from '../adapters/node/smtp.ts'
import { sweepWorkspaces } from '../adapters/node/workspace-sweep.ts'
import { openSqliteStore } from '../adapters/sqlite/store.ts'
import { createGroups } from '../api/table.ts'
import { collections } from '../collections.ts'
import { createAuthContext } from '../composition/auth.ts'
import { createDomains, type Domains } from '../composition/domains.ts'
import { createPeople } from '../composition/people.ts'
import type { Ports } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import { createMasker } from '../core/masker.ts'
import { createFeed, type Feed } from '../feed/feed.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import { createHolds } from '../holds/service.ts'
import { createDrain } from '../http/drain.ts'
import { openGuard } from '../http/guard.ts'
import { createHost } from '../http/host.ts'
import { lambda } from '../http/lambda.ts'
import { createPage } from '../http/page.ts'
import { createDispatch } from '../http/router.ts'
import { toTrustedProxies } from '../http/trusted-proxies.ts'
import { createLocalPublisher, createProgressPublisher } from '../live/publishing.ts'
import { createLocalWatch } from '../live/watch.ts'
import { createStoredKeys } from '../model-keys/stored-keys.ts'
import type { Log } from '../ports/log.ts'
import { taskOfWorkspace } from '../ports/workspace.ts'
import { VERSION } from '../version.ts'
import { openAgentHost } from './agents.ts'
import { createBackground } from './background.ts'
import { checkKey, openLocalCipher, reportingLostKey } from './cipher.ts'
import { openData } from './data.ts'
import { openHealth } from './health.ts'
import { createLocalDelivery, type LocalNotice, type LocalTurn } from './local-delivery.ts'
import { openEmbedding, openOutside } from './outside.ts'
import type { SandboxHealth } from './sandbox.ts'
import { refuseOpenHost, signInMethod, warnOfGuessedAddress, warnOfShortSecrets } from './start-up.ts'
import { openTaskQueue } from './task-queue.ts'

/** The most turns that continue at once after an approval. */
const MOST_TURNS = 10
/** How long the end waits for a collector of traces. */
const LAST_SPANS_MS = 1_000

/** The whole service in one process: storage in one file or in memory, queues in memory, handlers on node:http. */
export const openLocalApp = async (config: Config) => {
  const clock = createClock()
  const masker = createMasker(config.secrets)
  const log = createLog({ level: config.LOG_LEVEL, masker, to: turnOutput(), onTerminal: isOnTerminal() })
  const endStrayErrors = logStrayErrors(log)
  warnOfShortSecrets(config, log)
  const data = openData(config)
  if (data.warning !== undefined) log.warn({ folder: data.shown }, data.warning)
  const ids = createIds({ clock })
  const outside = openOutside(config, { clock, log })
  const queue = <Body>(concurrency: number) => createMemoryQueue<Body>({ clock, log, concurrency })
  /** A message that waited for a slot of the pool would be ahead of later ones that are more urgent. */
  const withinPool = (concurrency: number) => Math.min(concurrency, config.POOL_MAX_CONCURRENT)
  const { taskQueue, places } = openTaskQueue({
    clock,
    log,
    concurrency: withinPool(config.QUEUE_CONCURRENCY),
    caps: () => domains.settings.current().concurrency,
  })
  const noticeQueue = queue<LocalNotice>(config.QUEUE_NOTIFICATION_CONCURRENCY)
  const turnQueue = queue<LocalTurn>(MOST_TURNS)
  const queues = { tasks: taskQueue, notices: noticeQueue, turns: turnQueue }
  const delivery = createLocalDelivery({ ...queues, clock, log })
  const { deliver } = delivery
  const liveWatch = createLocalWatch(clock)
  const publisher = createLocalPublisher(liveWatch, {
    clock,
    log,
    feed: { append: (...entries) => feed.append(...entries) },
  })
  const file = { file: data.file, collections, onLost: endProcess(log) }
  const store = openSqliteStore({ ...file, clock, log, deliver, publisher })
  const feed: Feed = createFeed({ store, clock, ids })
  const processes = 'one' as const
  const holds = createHolds({ ...outside, processes, store, clock, ids, log })
  const cipher = reportingLostKey(openLocalCipher(config, outside), log)
  const modelKeys = createStoredKeys({ ...outside, processes, store, cipher, clock, masker })
  const ports = {
    processes,
    ...outside,
    holds,
    modelKeys,
    store,
    feed,
    liveWatch,
    publishProgress: createProgressPublisher({ publish: publisher.publish, clock }),
    taskQueue,
    runnerQueue: taskQueue,
    places,
    notificationQueue: noticeQueue,
    clock,
    ids,
    log,
    masker,
    cipher,
    ...(config.SMTP_URL !== undefined &&
      config.SMTP_FROM !== undefined && {
        mailer: createSmtp({ url: config.SMTP_URL, from: config.SMTP_FROM, clock }),
      }),
    memoryFiles: createFolderMemory({ folder: config.MEMORY_DIR, clock }),
    watchingMemory: () => memoryWatch.status(),
    memoryCopies: createFolderCopies(data.copiesDir),
    embedding:
      config.EMBEDDING_MODEL === undefined
        ? undefined
        : openEmbedding(config.EMBEDDING_MODEL, { ...config, ...outside, clock, masker }),
  } satisfies Ports
  const host = await openAgentHost({
    ...ports,
    limits: holds,
    config,
    workspacesDir: data.workspacesDir,
    port: () => (server.address() as AddressInfo | null)?.port,
  })
  const people = createPeople(createAuthContext(ports, config), ports, config)
  const domains = createDomains(people, ports, host, config)
  const memoryWatch = createMemoryWatch({
    folder: config.MEMORY_DIR,
    clock,
    log,
    onChange: domains.memory.syncIfChanged,
  })
  domains.settings.onRead(({ queue: { concurrency, notificationConcurrency } }) => {
    taskQueue.resize(withinPool(concurrency))
    noticeQueue.resize(notificationConcurrency)
    taskQueue.admit()
  })
  // Throws for a module of agents that cannot be loaded.
  const agents = await domains.agents.configuredTypes()
  // The access settings and the subscriptions are read before the first request.
  await Promise.all([domains.settings.refresh(), domains.subscriptions.load()])
  refuseOpenHost(domains, config)
  warnOfGuessedAddress(config, domains, log)
  await checkKey(ports)
  const background = createBackground(ports, domains, queues, config, {
    deliverMessages: store.start,
    expiredRows: store.sweep,
    workspaces: () =>
      sweepWorkspaces(data.workspacesDir, config.WORKSPACE_TTL_HOURS, clock, (name) =>
        domains.tasks.keepsWorkspace(taskOfWorkspace(name)),
      ),
  })
  const server = openServer({ ...ports, sandbox: host.sandbox }, domains, config, store.probe)
  const drain = createDrain(server)
  /** Ends the requests in flight and running work at the same time, then the parts that both need. */
  const close = async () => {
    domains.memory.endSync()
    domains.live.endAll()
    await Promise.all([drain(), background.stop(), memoryWatch.stop()])
    await host.close()
    await outside.tracing.flush(LAST_SPANS_MS)
    delivery.stop()
    await store.close()
    endStrayErrors()
    data.release()
  }
  const facts = {
    version: VERSION,
    mode: config.SERVICE_MODE,
    publicUrl: toTrustedProxies(config).publicUrl,
    providers: host.models.providers(),
    model: host.models.resolve({}),
    agents,
    data: data.shown,
    worker: config.WORKER,
  }
  const start = async () => {
    await background.start()
    memoryWatch.start()
  }
  return { server, start, close, facts, signIn: () => signInMethod(domains, store) }
}

/** A service that cannot write is useless; its supervisor starts a new one. */
const endProcess = (log: Log) => (reason: unknown) => {
  log.error({ err: reason }, 'storage could not sync its log; the process ends')
  process.exit(1)
}

/** Loaded at the first request: nothing else needs the library. */
const describe = async () => (await import('../api/document.ts')).document

const FOLDER = fileURLToPath(new URL('../../functions/ui/dist/', import.meta.url))

const openServer = (
  ports: Ports & { sandbox: SandboxHealth },
  domains: Domains,
  config: Config,
  probeStorage: () => Promise<void>,
) => {
  const requests = createRequestMetrics(ports)
  const proxies = toTrustedProxies(config)
  const guard = openGuard(domains, proxies)
  const http = { ...ports, guard, holds: domains.holdsRights, proxies, record: requests.record }
  const health = openHealth({ ports, domains, requests, worker: config.WORKER, probeStorage })
  const groups = createGroups(http, { ...domains, health, describe })
  // Paths without a file and without a route are answered 404.
  const page = createPage({ files: createPageFiles(FOLDER), otherwise: lambda(http, {}, {}) })
  return createHost({ ...ports, dispatch: createDispatch(groups, page) })
}
