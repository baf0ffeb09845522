import { createAuthContext } from '../composition/auth.ts'
import { createPeople } from '../composition/people.ts'
import type { Config } from '../config/config.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { type Open, serveRoutes } from './cloud-function.ts'
import { type CloudPorts, openCloudPorts } from './cloud-ports.ts'

/** The ports of a function, and who is calling it. */
export const openPeople = (config: Config, ports: CloudPorts = openCloudPorts(config)) => ({
  ports,
  people: createPeople(createAuthContext(ports, config), ports, config),
})

type OpenedPeople = ReturnType<typeof openPeople>

/** A function whose handlers need people alone: without the other domains it starts in half the time. */
export const servePeople = <R extends Routes>(
  routes: R,
  createHandlers: (people: OpenedPeople['people'], opened: OpenedPeople) => Handlers<R>,
) => {
  const open: Open<R> = (config) => {
    const opened = openPeople(config)
    const handlers = createHandlers(opened.people, opened)
    return { ...opened, requests: createRequestMetrics(opened.ports), handlers }
  }
  return serveRoutes(routes, open)
}
