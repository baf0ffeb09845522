import type { AuthContext } from '../composition/auth.ts'
import { createDomains, type Domains } from '../composition/domains.ts'
import { createPeople, type People } from '../composition/people.ts'
import type { AgentHost } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import { definedFields } from '../core/defined-fields.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Health } from '../health/service.ts'
import type { Handlers, Routes } from '../http/route.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { TrackerName } from '../ports/tracker.ts'
import { openAgentsElsewhere } from './cloud-agents.ts'
import { type Kept, serveRoutes } from './cloud-function.ts'
import { openPeople } from './cloud-people.ts'
import { type CloudPorts, openCloudPorts } from './cloud-ports.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { forwardedVerbs } from './forwarded-verbs.ts'
import { openHealth } from './health.ts'
import { openOutside } from './outside.ts'

/** The wait of a request for its task, or a model's first byte: HTTP APIs end after 29 s, distributions after 120 s. */
export const LONGEST_WAIT_MS = { function: 20_000, streaming: 105_000 } as const

/** The longest attempt of an agent: Lambda ends the worker after 15 minutes. */
export const LONGEST_ATTEMPT_IN_FUNCTION_MS = 840_000

const none = async () => undefined
/** For a function that uses no linked account. */
export const withoutAccounts: AccountAccess = { writerAt: none, readerFor: none, validToken: none }

type Options = {
  /** The models and agents of the container; other functions know its agents by their facts. */
  openHost?: (config: Config, ports: CloudPorts) => AgentHost | Promise<AgentHost>
  /** Absent where no caller waits. */
  longestWaitMs?: number
  /** A function's domains that were opened without the secrets in `config`: their storage, settings and sessions are used. */
  sharedWith?: Pick<Cloud, 'people' | 'ports'>
  access?: AccountAccess
}

export type Cloud = Domains & { ports: CloudPorts; people: People; clock: Clock; log: Log; config: Config }

/** The domains of a function in mode `pro`, over the ports of the cloud; the same as in one process. */
export const openCloud = async (config: Config, options: Options = {}): Promise<Cloud> => {
  const { openHost = openAgentsElsewhere, longestWaitMs, sharedWith } = options
  const ports = openCloudPorts(config, sharedWith?.ports.store)
  const people = sharedWith
    ? createPeople(sharedWith.people, ports, config)
    : openPeople(config, ports).people
  const { clock, log } = ports
  const { access, trackers } = openAccounts(people, ports, config)
  const outside = {
    ...ports,
    trackers,
    longestAttemptMs: LONGEST_ATTEMPT_IN_FUNCTION_MS,
    ...definedFields({ longestWaitMs }),
  }
  const acting = { ...people, access: options.access ?? access }
  const domains = createDomains(acting, outside, await openHost(config, ports), config)
  return { ...domains, ports, people, clock, log, config }
}

type CreateHandlers<R extends Routes> = (served: Cloud & { health: Health }) => Handlers<R>

/** The handlers of a group over opened domains. */
export const openHandlers = <R extends Routes>(cloud: Cloud, createHandlers: CreateHandlers<R>) => {
  const requests = createRequestMetrics(cloud.ports)
  const health = openHealth({ ports: cloud.ports, domains: cloud, requests, worker: cloud.config.WORKER })
  return { ...cloud, requests, handlers: createHandlers({ ...cloud, health }) }
}

/** The function of one endpoint group behind the HTTP API. */
export const serveGroup = <R extends Routes>(routes: R, createHandlers: CreateHandlers<R>, kept?: Kept) =>
  serveRoutes(
    routes,
    async (config) =>
      openHandlers(await openCloud(config, { longestWaitMs: LONGEST_WAIT_MS.function }), createHandlers),
    kept,
  )

/** Linked accounts and their providers, whose settings are read when first needed, and again when secrets are. */
const openAccounts = (auth: AuthContext, ports: CloudPorts, config: Config) => {
  const opened = openedWithSecrets(
    (known) => ({
      access: createPeople(auth, ports, known).oauth.access,
      trackers: openOutside(known, ports).trackers,
    }),
    { settings: () => ({ ...config, SECRETS_PATH: config.ACCOUNT_SECRETS_PATH }) },
  )
  const tracker = (name: TrackerName) =>
    forwardedVerbs(ports.trackers[name], async () => (await opened()).trackers[name])
  return {
    trackers: { codehost: tracker('codehost'), trackera: tracker('trackera'), trackerb: tracker('trackerb') },
    access: forwardedVerbs(withoutAccounts, async () => (await opened()).access),
  }
}
