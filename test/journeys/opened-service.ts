import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Config, readConfig } from '../../lib/config/config.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { type Environment, isOffline, launchService, startService, temporaryFolder } from './service.ts'

export type OpenedService = { baseUrl: string; [Symbol.asyncDispose](): Promise<void> }

/** Tasks name the agent that they need: `moodyTask`, `scriptedTask`. */
const AGENTS = ['moody', 'scripted'].map((name) => `test/fixtures/agents/${name}.ts`)
const SETTINGS = {
  AGENT_ADAPTERS: AGENTS.join(),
  DEFAULT_AGENT: 'coding-agent',
  QUEUE_RETRY_BACKOFF_MS: '1',
  SERVICE_MODE: 'mini',
}

type App = { server: Server; start(): Promise<void>; close(): Promise<void> }
type AppModule = { openLocalApp(config: Config): Promise<App> }
/** Imported by its address: tests of the page are compiled with the types of a browser, which parts of the app do not fit. */
const APP = new URL('../../lib/app/local.ts', import.meta.url).href

/** In the process of the test, without a start of Node. Its log is dropped. */
const openHere = async (env: Environment): Promise<OpenedService> => {
  const { openLocalApp } = (await import(APP)) as AppModule
  const app = await openLocalApp(readConfig({ LOG_LEVEL: 'silent', ...env }))
  app.server.listen(Number(env.PORT ?? 0), '127.0.0.1')
  await once(app.server, 'listening')
  const { port } = app.server.address() as AddressInfo
  await app.start()
  return { baseUrl: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: app.close }
}

/** The stack that all suites of this worker share. It ends with the worker, and does not keep it alive. */
const STACK = Symbol.for('the stack of this worker')
const worker = globalThis as { [STACK]?: Promise<string> }
const startSharedStack = async (): Promise<string> => {
  const env = { ...SETTINGS, DATA_DIR: temporaryFolder().path }
  const stack = launchService({ env, mostMs: 3_600_000, endsWithParent: true })
  const baseUrl = await stack.ready()
  stack.unref()
  return baseUrl
}

/**
 * A service for tests that neither kill it, nor read its output, nor wait for a program synchronously. With JOURNEYS=offline and without settings of their own
 * they share one stack: no test may count what others have made.
 */
export const openService = async (settings: Environment = {}): Promise<OpenedService> => {
  if (isOffline && Object.keys(settings).length === 0) {
    worker[STACK] ??= startSharedStack()
    return { baseUrl: await worker[STACK], [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = temporaryFolder()
  const env = { ...SETTINGS, DATA_DIR: folder.in('data'), MEMORY_DIR: folder.in('memory'), ...settings }
  const service = await (isOffline ? startService({ env }) : openHere(env))
  return {
    baseUrl: service.baseUrl,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** As `openService`, for all tests of a file or of a `describe`. */
export const openedService = (settings?: Environment): (() => OpenedService) =>
  forAllTests(
    () => openService(settings),
    (service) => service[Symbol.asyncDispose](),
  )
