import type { Config } from '../config.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Health } from '../health/service.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { type AuthContext, type AuthPorts, createAuthContext } from '../join/auth-context.ts'
import { joinWork, type Work, type WorkPorts } from '../join/work.ts'
import { openWorkPorts, type Sending, withoutSending } from './cloud.ts'
import { describeAgents } from './cloud-agents.ts'
import type { Open } from './cloud-http.ts'
import { openHealth } from './health.ts'

type Served = AuthContext & Work & { health: Health; ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'> }

/** Opens a function whose handlers have to do with tasks. */
export const openWork =
  <R extends Routes>(
    handlersOf: (served: Served) => Handlers<R>,
    sendingOf: (config: Config) => Sending = () => withoutSending,
  ): Open<R> =>
  async (config) => {
    const adapters = await describeAgents(config)
    const ports = { ...openWorkPorts(config, sendingOf(config)), adapters }
    const entry = createAuthContext(ports, config)
    const work = joinWork(entry, ports, config)
    const requests = createRequestMetrics(ports)
    const health = openHealth({ ports, domains: work, requests, writable: () => true })
    return { entry, ports, requests, handlers: handlersOf({ ...entry, ...work, health, ports }) }
  }
