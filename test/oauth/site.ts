import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createGroups } from '../../lib/api/table.ts'
import { openGuard } from '../../lib/http/guard.ts'
import { createHost } from '../../lib/http/host.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { toTrustedProxies } from '../../lib/http/trusted-proxies.ts'
import type { Store } from '../../lib/ports/store.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { type StartedDomains, startDomains } from '../fakes/service.ts'
import { createBrowser } from './browser.ts'
import { startProvider, type TestProvider } from './provider.ts'

type Options = {
  env?: Record<string, string>
  provider?: TestProvider
  configured?: boolean
  /** Where storage lies; in memory when absent. */
  file?: string
  /** What the service of before left, with another configuration; its own is stopped then. */
  after?: Pick<StartedDomains, 'store' | 'clock' | 'ids' | 'delivery'>
  wrapStore?: (store: Store) => Store
  /** How long the service waits for a provider, in place of 10 seconds. */
  providerTimeoutMs?: number
}

/** The service with its real guard on a real port, and a provider that it is registered with; only time is a fake. */
export const openSite = async ({ env = {}, configured = true, ...given }: Options = {}) => {
  const provider = given.provider ?? (await startProvider())
  const domains = await startDomains({
    ...(given.file === undefined ? {} : { file: given.file }),
    ...(given.after === undefined ? {} : { after: given.after }),
    ...(given.wrapStore === undefined ? {} : { wrapStore: given.wrapStore }),
    ...(given.providerTimeoutMs === undefined
      ? {}
      : { providerFetch: createProviderFetch({ timeoutMs: given.providerTimeoutMs }) }),
    env: { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', ...(configured ? provider.env() : {}), ...env },
  })
  const { clock, log, ids, config } = domains
  const proxies = toTrustedProxies(config)
  const http = {
    guard: openGuard(domains, proxies),
    holds: domains.holdsRights,
    proxies,
    record: () => undefined,
    clock,
    log,
  }
  const groups = createGroups(http, { ...domains, health: {} as never, describe: async () => ({}) })
  const server = createHost({ dispatch: createDispatch(groups, lambda(http, {}, {})), ids, log })
  const { url: baseUrl, stop } = await onLoopback(server)
  provider.register(baseUrl)
  return {
    provider,
    domains,
    baseUrl,
    clock,
    log,
    browser: () => createBrowser(baseUrl, provider),
    async [Symbol.asyncDispose]() {
      await stop()
      await domains[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}
export type Site = Awaited<ReturnType<typeof openSite>>
