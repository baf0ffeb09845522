import { type AuthContext, type AuthPorts, createAuthContext } from '../composition/auth.ts'
import { composeWork, type Work, type WorkPorts } from '../composition/work.ts'
import type { Config } from '../config/config.ts'
import type { Gateway } from '../gateway/service.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Health } from '../health/service.ts'
import type { Handlers, Routes } from '../http/route.ts'
import type { Blobs } from '../ports/blobs.ts'
import { describeAgents } from './cloud-agents.ts'
import type { Open } from './cloud-function.ts'
import { openBasePorts, openWorkPorts, type Sending, withoutSending } from './cloud-ports.ts'
import { openHealth } from './health.ts'

type GroupContext = { auth: AuthContext; ports: AuthPorts; config: Config }

/** Opens a function whose handlers need no tasks: without queues it starts faster. */
export const openGroup =
  <R extends Routes>(
    createHandlers: (context: GroupContext) => Handlers<R>,
    openBlobs?: (config: Config) => Blobs,
  ): Open<R> =>
  (config) => {
    const ports = openBasePorts(config, openBlobs?.(config))
    const auth = createAuthContext(ports, config)
    const handlers = createHandlers({ auth, ports, config })
    return { auth, ports, requests: createRequestMetrics(ports), handlers }
  }

type Served = AuthContext & Work & { health: Health; ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'> }

export const openWork =
  <R extends Routes>(
    createHandlers: (served: Served) => Handlers<R>,
    openSending: (config: Config) => Sending = () => withoutSending,
  ): Open<R> =>
  async (config) => {
    const adapters = await describeAgents(config)
    const ports = { ...openWorkPorts(config, openSending(config)), adapters }
    const auth = createAuthContext(ports, config)
    const work = composeWork(auth, ports, config)
    const requests = createRequestMetrics(ports)
    const health = openHealth({ ports, domains: work, requests })
    return { auth, ports, requests, handlers: createHandlers({ ...auth, ...work, health, ports }) }
  }

/** The wait of a request for its task, or a model's first byte: HTTP APIs end after 29 s, distributions after 120 s. */
export const LONGEST_WAIT_MS = { function: 20_000, streaming: 105_000 } as const

/** The gateway in a function: before the HTTP API gives up, the caller gets the state of the task. */
export const waitingAtMost = <G extends Pick<Gateway, 'waitFor'>>(longestMs: number, gateway: G): G => ({
  ...gateway,
  waitFor: (taskId: string, forMs: number, signal?: AbortSignal) =>
    gateway.waitFor(taskId, Math.min(forMs, longestMs), signal),
})
