import type { Server } from 'node:http'
import { createS3Archive } from '../../lib/adapters/aws/s3-archive.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { agenticRoutes } from '../../lib/agentic/contract.ts'
import { agenticHandlers } from '../../lib/agentic/handlers.ts'
import { type Cloud, LONGEST_WAIT_MS, openCloud, openHandlers } from '../../lib/app/cloud.ts'
import { listenInContainer, openContainerLog, openModelled } from '../../lib/app/cloud-container.ts'
import { type Open, streamRoutes } from '../../lib/app/cloud-function.ts'
import { refreshModelKeys } from '../../lib/app/cloud-jobs.ts'
import { openBucket } from '../../lib/app/cloud-ports.ts'
import { forwardedVerbs } from '../../lib/app/forwarded-verbs.ts'
import { modelRoutes } from '../../lib/chat/contract.ts'
import { modelHandlers } from '../../lib/chat/handlers.ts'
import { Problem } from '../../lib/core/errors.ts'
import { gatewayRoutes } from '../../lib/gateway/contract.ts'
import { gatewayHandlers } from '../../lib/gateway/handlers.ts'
import { createDrain } from '../../lib/http/drain.ts'
import type { HttpHandler } from '../../lib/http/event.ts'
import { createHost } from '../../lib/http/host.ts'
import type { Handlers } from '../../lib/http/route.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { behindWebAdapter } from '../../lib/http/trusted-proxies.ts'
import { liveRoutes } from '../../lib/live/contract.ts'
import { liveHandlers } from '../../lib/live/handlers.ts'
import { memoryRoutes } from '../../lib/memory/contract.ts'
import { memoryHandlers } from '../../lib/memory/handlers.ts'
import { modelKeyRoutes } from '../../lib/model-keys/contract.ts'
import { modelKeyHandlers } from '../../lib/model-keys/handlers.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { COPY_HEADER, createExportCopies } from '../../lib/tasks/export.ts'
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

const modelled = { ...modelRoutes, ...modelKeyRoutes, ...agenticRoutes }

/** The routes that may exceed the limits of the HTTP API; resources/distribution.yml sends their paths here. */
const routes = {
  exportTasks: taskRoutes.exportTasks,
  submitRequest: gatewayRoutes.submitRequest,
  ...liveRoutes,
  ...modelled,
  // With the deployment's parameter `memoryExpand`, a search calls a model.
  searchMemory: memoryRoutes.searchMemory,
}

/** Memory is searched without a model when none can be called. */
const withoutModels =
  (served: Cloud) =>
  (thrown: unknown): Cloud => {
    if (thrown instanceof Problem && thrown.code === 'models_unavailable') return served
    throw thrown
  }

/**
 * The streaming function on node:http, not listening yet. The Lambda Web Adapter passes requests to it and streams the
 * answers; `npm run offline` passes it the requests of its own server.
 */
export const openStreaming = (): Server => {
  const createHandlers = (served: Cloud): Handlers<typeof routes> => {
    const openedModelled = openModelled(served)
    const archive = createS3Archive(openBucket(served.config))
    const { exportTasks } = taskHandlers({
      ...served,
      keepExport: createExportCopies({ ...served.ports, archive }),
    })
    const { submitRequest } = gatewayHandlers(served)
    return {
      exportTasks,
      submitRequest,
      ...liveHandlers(served),
      ...forwardedVerbs(modelled, async () => {
        const domains = await openedModelled()
        await refreshModelKeys(domains)
        return { ...modelHandlers(domains), ...modelKeyHandlers(domains), ...agenticHandlers(domains) }
      }),
      searchMemory: async (input, call) =>
        memoryHandlers(await openedModelled().catch(withoutModels(served))).searchMemory(input, call),
    }
  }
  const open: Open<typeof routes> = async (config) =>
    openHandlers(await openCloud(config, { longestWaitMs: LONGEST_WAIT_MS.streaming }), createHandlers)
  const handler = behindWebAdapter(withoutCopyOnHead(streamRoutes(routes, open)))
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
