import { createCodeHostLists } from '../adapters/code-host/lists.ts'
import { createEmbedding } from '../adapters/models/embedding.ts'
import { isProviderFault } from '../adapters/models/failures.ts'
import { createArgon2 } from '../adapters/node/argon2.ts'
import { createBreakers } from '../adapters/node/breakers.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createOtlpExporter } from '../adapters/node/otlp.ts'
import { createOutbound } from '../adapters/node/outbound.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { createRepositories } from '../adapters/node/repositories.ts'
import { createTracing, tracedFetch } from '../adapters/node/tracing.ts'
import { createTrackers } from '../adapters/trackers/catalog.ts'
import { createWebSearchProviders } from '../adapters/web-search/catalog.ts'
import type { Config } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { codeHostGit, providerApiUrls } from '../oauth/catalog.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import { VERSION } from '../version.ts'

type Means = { clock: Clock; log: Log }

/** The ports that are the same in every mode: chance, and what the process reaches by the network. */
export const openOutside = (config: Config, { clock, log }: Means) => {
  const { OUTBOUND_ALLOW_HOSTS: allow, REPOSITORY_ROOTS: roots, CODEHOST_GIT_URL, accounts } = config
  const outbound = createOutbound({ clock, allow })
  const providerFetch = createProviderFetch()
  // The host of `owner/repo` is by default the site where people sign in; then it gets their tokens.
  const base = CODEHOST_GIT_URL ?? codeHostGit(accounts.codehost)
  const place = base === undefined ? { isLinked: false } : { base, isLinked: true }
  return {
    random: Math.random,
    entropy,
    passwords: createArgon2({ entropy }),
    tracing: openTracing(config, { clock, log }),
    /** They count faults of providers, and of adapters whose health check fails. */
    breakers: createBreakers({ clock, isFault }),
    outbound,
    providerFetch,
    repositories: createRepositories({ clock, allow, roots, ...place }),
    codeHostLists: createCodeHostLists({
      apiUrl: providerApiUrls(accounts).codehost,
      fetch: providerFetch,
    }),
    trackers: createTrackers({ fetch: providerFetch, clock, apiUrls: providerApiUrls(accounts) }),
    webSearchProviders: createWebSearchProviders({ outbound, clock }),
  }
}

/** The traces of the process, exported if the operator has set a collector. */
const openTracing = (config: Config, { clock, log }: Means) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = config
  if (endpoint === undefined) return createTracing({ clock })
  const resource = { 'service.name': config.OTEL_SERVICE_NAME, 'service.version': VERSION }
  return createTracing({ clock, exporter: createOtlpExporter({ endpoint, headers, resource, clock, log }) })
}

const isFault = (thrown: unknown): boolean =>
  isProviderFault(thrown) || (thrown instanceof Problem && HEALTH_FAULTS.has(thrown.code))

const HEALTH_FAULTS: ReadonlySet<string> = new Set(['health_check_failed', 'health_check_timeout'])

type Needs = { providers: Config['providers']; breakers: Breakers; clock: Clock; masker: Masker }

/** The embedding model of memory. Throws Problem `bad_setting` for an unusable one. */
export const openEmbedding = (model: string, { providers, breakers, clock, masker }: Needs): Embedding => {
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  try {
    return createEmbedding({ settings: { providers }, model, clock, masker, guard, fetch: tracedFetch })
  } catch (thrown) {
    throw badSetting(`EMBEDDING_MODEL: ${errorMessage(thrown)}`)
  }
}
