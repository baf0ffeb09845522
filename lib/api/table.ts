import { userRoutes } from '../accounts/contract.ts'
import { userHandlers } from '../accounts/handlers.ts'
import { agenticRoutes } from '../agentic/contract.ts'
import { agenticHandlers } from '../agentic/handlers.ts'
import { agentRoutes } from '../agents/contract.ts'
import { agentHandlers } from '../agents/handlers.ts'
import { alertRoutes } from '../alerts/contract.ts'
import { alertHandlers } from '../alerts/handlers.ts'
import { approvalRoutes } from '../approvals/contract.ts'
import { approvalHandlers } from '../approvals/handlers.ts'
import { auditRoutes } from '../audit/contract.ts'
import { auditHandlers } from '../audit/handlers.ts'
import { bulkRoutes } from '../bulk/contract.ts'
import { bulkHandlers } from '../bulk/handlers.ts'
import { chatRoutes } from '../chat/contract.ts'
import { chatHandlers } from '../chat/handlers.ts'
import type { Domains } from '../composition/domains.ts'
import { deviceRoutes } from '../devices/contract.ts'
import { deviceHandlers } from '../devices/handlers.ts'
import { gatewayRoutes } from '../gateway/contract.ts'
import { gatewayHandlers } from '../gateway/handlers.ts'
import { healthRoutes } from '../health/contract.ts'
import { healthHandlers } from '../health/handlers.ts'
import type { Health } from '../health/service.ts'
import { holdRoutes } from '../holds/contract.ts'
import { holdHandlers } from '../holds/handlers.ts'
import { type HttpNeeds, lambda } from '../http/lambda.ts'
import type { Handlers, Routes } from '../http/route.ts'
import type { Group } from '../http/router.ts'
import { inboxRoutes } from '../inbox/contract.ts'
import { inboxHandlers } from '../inbox/handlers.ts'
import {
  connectionRoutes,
  disconnectRoutes,
  integrationRoutes,
  reachableRoutes,
} from '../integrations/contract.ts'
import {
  connectionHandlers,
  disconnectHandlers,
  integrationHandlers,
  reachableHandlers,
} from '../integrations/handlers.ts'
import { liveRoutes } from '../live/contract.ts'
import { liveHandlers } from '../live/handlers.ts'
import { memoryRoutes } from '../memory/contract.ts'
import { memoryHandlers } from '../memory/handlers.ts'
import { modelKeyRoutes } from '../model-keys/contract.ts'
import { modelKeyHandlers } from '../model-keys/handlers.ts'
import { notificationRoutes } from '../notifications/contract.ts'
import { notificationHandlers } from '../notifications/handlers.ts'
import { outboundWebhookRoutes } from '../outbound-webhooks/contract.ts'
import { outboundWebhookHandlers } from '../outbound-webhooks/handlers.ts'
import { queueRoutes } from '../queue/contract.ts'
import { queueHandlers } from '../queue/handlers.ts'
import { runnerRoutes } from '../runners/contract.ts'
import { runnerHandlers } from '../runners/handlers.ts'
import { scheduleRoutes } from '../schedules/contract.ts'
import { scheduleHandlers } from '../schedules/handlers.ts'
import { securityRoutes } from '../security/contract.ts'
import { securityHandlers } from '../security/handlers.ts'
import { settingsRoutes } from '../settings/contract.ts'
import { settingsHandlers } from '../settings/handlers.ts'
import { taskRoutes } from '../tasks/contract.ts'
import { taskHandlers } from '../tasks/handlers.ts'
import { tokenRoutes } from '../tokens/contract.ts'
import { tokenHandlers } from '../tokens/handlers.ts'
import { inboundRoutes } from '../webhooks/contract.ts'
import { inboundHandlers } from '../webhooks/handlers.ts'
import { everyAuthHandler, everyAuthRoute } from './auth.ts'
import { apiHandlers, apiRoutes } from './openapi-route.ts'

type Described = Domains & { health: Health; describe: () => Promise<object> }

/** Every endpoint group: its routes and the function that serves them. */
export const createGroups = (http: HttpNeeds, domains: Described): Group[] => {
  const group = <R extends Routes>(routes: R, handlers: Handlers<R>): Group => ({
    routes,
    handler: lambda(http, routes, handlers),
  })
  const { clock } = http
  return [
    group(
      { ...taskRoutes, ...queueRoutes, ...holdRoutes, ...bulkRoutes },
      {
        ...taskHandlers(domains),
        ...queueHandlers(domains),
        ...holdHandlers(domains),
        ...bulkHandlers(domains),
      },
    ),
    group(agentRoutes, agentHandlers(domains)),
    group(runnerRoutes, runnerHandlers(domains)),
    group(
      { ...notificationRoutes, ...inboxRoutes, ...alertRoutes },
      { ...notificationHandlers(domains), ...inboxHandlers(domains), ...alertHandlers(domains) },
    ),
    group(everyAuthRoute, everyAuthHandler(domains)),
    group(userRoutes, userHandlers(domains)),
    group(deviceRoutes, deviceHandlers(domains)),
    group(settingsRoutes, settingsHandlers(domains)),
    group(auditRoutes, auditHandlers(domains)),
    group(tokenRoutes, tokenHandlers(domains)),
    group(gatewayRoutes, gatewayHandlers(domains)),
    group(
      {
        ...inboundRoutes,
        ...outboundWebhookRoutes,
        ...integrationRoutes,
        ...connectionRoutes,
        ...disconnectRoutes,
        ...reachableRoutes,
      },
      {
        ...inboundHandlers(domains),
        ...outboundWebhookHandlers(domains),
        ...integrationHandlers(domains),
        ...connectionHandlers(domains),
        ...disconnectHandlers(domains),
        ...reachableHandlers(domains),
      },
    ),
    group(modelKeyRoutes, modelKeyHandlers(domains)),
    group(scheduleRoutes, scheduleHandlers(domains)),
    group(memoryRoutes, memoryHandlers(domains)),
    group(
      { ...chatRoutes, ...agenticRoutes },
      { ...chatHandlers({ ...domains, clock }), ...agenticHandlers({ ...domains, clock }) },
    ),
    group(
      { ...securityRoutes, ...approvalRoutes },
      { ...securityHandlers(domains), ...approvalHandlers(domains) },
    ),
    group(liveRoutes, liveHandlers({ ...domains, clock })),
    group(healthRoutes, healthHandlers(domains)),
    group(apiRoutes, apiHandlers(domains)),
  ]
}
