import type { Server } from 'node:http'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { agenticRoutes } from '../../lib/agentic/contract.ts'
import {
  listenInContainer,
  openContainerLog,
  openMemorySearch,
  openModelHandlers,
} from '../../lib/app/cloud-container.ts'
import { lazyHandlers, streamGroup } from '../../lib/app/cloud-function.ts'
import { LONGEST_WAIT_MS, openWork, waitingAtMost } from '../../lib/app/cloud-groups.ts'
import { openAccepting, openExportCopies } from '../../lib/app/cloud-ports.ts'
import { modelRoutes } from '../../lib/chat/contract.ts'
import { readConfig } from '../../lib/config/config.ts'
import { gatewayRoutes } from '../../lib/gateway/contract.ts'
import { gatewayHandlers } from '../../lib/gateway/handlers.ts'
import { createDrain } from '../../lib/http/drain.ts'
import type { HttpHandler } from '../../lib/http/event.ts'
import { createHost } from '../../lib/http/host.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { behindWebAdapter } from '../../lib/http/trusted-proxies.ts'
import { liveRoutes } from '../../lib/live/contract.ts'
import { liveHandlers } from '../../lib/live/handlers.ts'
import { createLive, LONGEST_IN_FUNCTION_MS } from '../../lib/live/service.ts'
import { createStoredWatch } from '../../lib/live/watch.ts'
import { memoryRoutes } from '../../lib/memory/contract.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { COPY_HEADER } from '../../lib/tasks/export.ts'
import { taskHandlers } from '../../lib/tasks/handlers.ts'

/** An answer to HEAD has no body, so it stores no copy and names none. */
const withoutCopyOnHead =
  (handler: HttpHandler): HttpHandler =>
  async (event, context) => {
    const answer = await handler(event, context)
    if (event.requestContext.http.method !== 'HEAD') return answer
    const { [COPY_HEADER]: _, ...headers } = answer.headers
    return { ...answer, headers }
  }

const modelled = { ...modelRoutes, ...agenticRoutes }
/** With the deployment's parameter `memoryExpand`, a search calls a model. */
const expanded = { searchMemory: memoryRoutes.searchMemory }

/** The routes that may exceed the limits of the HTTP API; resources/distribution.yml sends their paths here. */
const routes = {
  exportTasks: taskRoutes.exportTasks,
  submitRequest: gatewayRoutes.submitRequest,
  ...liveRoutes,
  ...modelled,
  ...expanded,
}

/**
 * The streaming function on node:http, not listening yet. The Lambda Web Adapter passes requests to it and streams the
 * answers; `npm run offline` passes it the requests of its own server.
 */
export const openStreaming = (): Server => {
  const open = openWork<typeof routes>((served) => {
    const { gateway, tasks, findReport, ports } = served
    const { exportTasks } = taskHandlers({
      tasks,
      findReport,
      keepExport: openExportCopies(readConfig(), ports),
    })
    const { submitRequest } = gatewayHandlers({ gateway: waitingAtMost(LONGEST_WAIT_MS.streaming, gateway) })
    const live = createLive({
      ...ports,
      liveWatch: createStoredWatch(ports),
      longestMs: LONGEST_IN_FUNCTION_MS,
    })
    const { followEvents } = liveHandlers({ live, clock: ports.clock, openStreams: served.openStreams })
    return {
      exportTasks,
      submitRequest,
      followEvents,
      ...lazyHandlers(modelled, openModelHandlers(served)),
      ...lazyHandlers(expanded, openMemorySearch(served)),
    }
  }, openAccepting)
  const handler = behindWebAdapter(withoutCopyOnHead(streamGroup(routes, open)))
  return createHost({
    dispatch: createDispatch([{ routes, handler }], handler),
    ids: createIds({ clock: createClock() }),
    log: openContainerLog(),
  })
}

if (import.meta.main) {
  const server = openStreaming()
  const drain = createDrain(server)
  listenInContainer(server, openContainerLog())
  process.on('SIGTERM', () => void drain())
}
