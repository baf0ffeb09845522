import type { Config } from '../config.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { type AuthContext, type AuthPorts, createAuthContext } from '../join/auth-context.ts'
import { openBasePorts } from './cloud-base.ts'
import type { Open } from './cloud-http.ts'

type Given = { entry: AuthContext; ports: AuthPorts; config: Config }

/** Opens a function whose handlers have nothing to do with tasks: without queues and files it starts sooner. */
export const openPlain =
  <R extends Routes>(handlersOf: (given: Given) => Handlers<R>): Open<R> =>
  (config) => {
    const ports = openBasePorts(config)
    const entry = createAuthContext(ports, config)
    const handlers = handlersOf({ entry, ports, config })
    return { entry, ports, requests: createRequestMetrics(ports), handlers }
  }
