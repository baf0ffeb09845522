import { accountRoutes, userRoutes } from '../accounts/contract.ts'
import { agenticRoutes } from '../agentic/contract.ts'
import { agentRoutes } from '../agents/contract.ts'
import { alertRoutes } from '../alerts/contract.ts'
import { approvalRoutes } from '../approvals/contract.ts'
import { auditRoutes } from '../audit/contract.ts'
import { authRoutes } from '../auth/contract.ts'
import { bulkRoutes } from '../bulk/contract.ts'
import { conversationRoutes, modelRoutes } from '../chat/contract.ts'
import { deviceRoutes } from '../devices/contract.ts'
import { gatewayRoutes } from '../gateway/contract.ts'
import { healthRoutes } from '../health/contract.ts'
import { holdRoutes } from '../holds/contract.ts'
import type { Route, Routes } from '../http/route.ts'
import { inboxRoutes } from '../inbox/contract.ts'
import {
  connectionRoutes,
  disconnectRoutes,
  integrationRoutes,
  reachableRoutes,
} from '../integrations/contract.ts'
import { liveRoutes } from '../live/contract.ts'
import { memoryRoutes } from '../memory/contract.ts'
import { modelKeyRoutes } from '../model-keys/contract.ts'
import { notificationRoutes } from '../notifications/contract.ts'
import { oauthRoutes } from '../oauth/contract.ts'
import { outboundWebhookRoutes } from '../outbound-webhooks/contract.ts'
import { queueRoutes } from '../queue/contract.ts'
import { runnerRoutes } from '../runners/contract.ts'
import { scheduleRoutes } from '../schedules/contract.ts'
import { securityRoutes } from '../security/contract.ts'
import { settingsRoutes } from '../settings/contract.ts'
import { taskRoutes } from '../tasks/contract.ts'
import { tokenRoutes } from '../tokens/contract.ts'
import { inboundRoutes } from '../webhooks/contract.ts'
import { apiRoutes } from './openapi-route.ts'

export type Tables = Readonly<Record<string, Routes>>

type Merged<T extends Tables> = { [Name in keyof T]: (table: T[Name]) => void }[keyof T] extends (
  table: infer All,
) => void
  ? All
  : never

/** All tables as one. Throws when two routes share their name, or their method and path. */
export const mergeRoutes = <const T extends Tables>(tables: T): Merged<T> => {
  const routes = Object.values(tables).flatMap((table) => Object.entries(table))
  refuseRepeats(routes.map(([name]) => name))
  refuseRepeats(routes.map(([, route]) => answered(route)))
  // The names are distinct, so the object has the routes of every table.
  return Object.fromEntries(routes) as Merged<T>
}

const answered = ({ method, path }: Route) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`

const refuseRepeats = (keys: readonly string[]) => {
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) throw new Error(`Two routes are ${twice}`)
}

export const tables = {
  tasks: taskRoutes,
  queue: queueRoutes,
  holds: holdRoutes,
  bulk: bulkRoutes,
  agents: agentRoutes,
  runners: runnerRoutes,
  notifications: notificationRoutes,
  inbox: inboxRoutes,
  alerts: alertRoutes,
  auth: authRoutes,
  accounts: accountRoutes,
  users: userRoutes,
  devices: deviceRoutes,
  oauth: oauthRoutes,
  settings: settingsRoutes,
  audit: auditRoutes,
  tokens: tokenRoutes,
  gateway: gatewayRoutes,
  integrations: integrationRoutes,
  modelKeys: modelKeyRoutes,
  connections: connectionRoutes,
  disconnects: disconnectRoutes,
  reachable: reachableRoutes,
  webhooks: inboundRoutes,
  outbound: outboundWebhookRoutes,
  schedules: scheduleRoutes,
  live: liveRoutes,
  memory: memoryRoutes,
  chat: conversationRoutes,
  models: modelRoutes,
  agentic: agenticRoutes,
  security: securityRoutes,
  approvals: approvalRoutes,
  health: healthRoutes,
  api: apiRoutes,
} as const

export const routes = mergeRoutes(tables)
export type ApiRoutes = typeof routes
