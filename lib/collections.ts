import { invites, registrations, rosters, users } from './accounts/rows.ts'
import { agentSessions } from './agentic/rows.ts'
import { alertKeys, emailAlerts, pushSubscriptions, resultReaders } from './alerts/rows.ts'
import { allowedTools, approvalSlots, approvals } from './approvals/rows.ts'
import { auditRows } from './audit/rows.ts'
import { phoneLinks, sessions } from './auth/rows.ts'
import { budgetNotices, chatCosts } from './budgets/rows.ts'
import { bulkFailures, bulkJobs, bulkParts } from './bulk/rows.ts'
import type { Collection } from './core/collection.ts'
import { deliveryRows } from './deliveries/rows.ts'
import { codeRows, identityRows, pairingSlots, pairings } from './devices/rows.ts'
import { feedEntries } from './feed/rows.ts'
import { gatewayKeys, gatewayRequests } from './gateway/rows.ts'
import { holdsRows } from './holds/rows.ts'
import { inboxMarks } from './inbox/rows.ts'
import { integrationRows } from './integrations/rows.ts'
import { limitedCounts } from './limits/limited-count.ts'
import { callsRows } from './limits/limiter.ts'
import { openStreams } from './limits/streams.ts'
import { liveWatches } from './live/watch.ts'
import { experiences, memoryFiles, memorySessions, memoryState, memoryVerdicts } from './memory/rows.ts'
import { modelKeyRows } from './model-keys/rows.ts'
import { notifications, readMarks, reads } from './notifications/rows.ts'
import { authorizationRequests, linkedAccounts } from './oauth/rows.ts'
import { subscriptionsRows, webhookHealth, webhooks } from './outbound-webhooks/rows.ts'
import { deadLetters, failureMutes } from './queue/rows.ts'
import { reports } from './reporting/rows.ts'
import { runners } from './runners/rows.ts'
import { schedules } from './schedules/rows.ts'
import { policyRows, toolCalls } from './security/rows.ts'
import { settingsRows } from './settings/rows.ts'
import {
  attemptResults,
  continuations,
  createReplays,
  taskEvents,
  tasks,
  threadTurns,
  ticketTasks,
  waitingMessages,
} from './tasks/rows.ts'
import { tokenRows } from './tokens/rows.ts'
import {
  chatMessages,
  chatTurns,
  conversationRemovals,
  conversations,
  workspaceSnapshots,
} from './turns/rows.ts'
import { inboundClaims, inboundEvents } from './webhooks/rows.ts'
import { placeRows, placeWaits } from './worker/place-rows.ts'

/** Every collection of the service; the storage adapters derive their tables from this list. */
export const collections = [
  tasks,
  taskEvents,
  ticketTasks,
  threadTurns,
  waitingMessages,
  continuations,
  attemptResults,
  feedEntries,
  liveWatches,
  agentSessions,
  createReplays,
  deadLetters,
  failureMutes,
  bulkJobs,
  bulkParts,
  bulkFailures,
  notifications,
  reads,
  readMarks,
  inboxMarks,
  alertKeys,
  pushSubscriptions,
  resultReaders,
  emailAlerts,
  settingsRows,
  runners,
  holdsRows,
  placeRows,
  placeWaits,
  budgetNotices,
  chatCosts,
  sessions,
  phoneLinks,
  auditRows,
  authorizationRequests,
  linkedAccounts,
  registrations,
  users,
  rosters,
  invites,
  callsRows,
  openStreams,
  limitedCounts,
  identityRows,
  pairings,
  codeRows,
  pairingSlots,
  tokenRows,
  gatewayRequests,
  gatewayKeys,
  deliveryRows,
  webhooks,
  webhookHealth,
  subscriptionsRows,
  reports,
  integrationRows,
  modelKeyRows,
  inboundEvents,
  inboundClaims,
  schedules,
  memoryFiles,
  memoryState,
  memorySessions,
  memoryVerdicts,
  experiences,
  conversations,
  chatMessages,
  conversationRemovals,
  chatTurns,
  workspaceSnapshots,
  policyRows,
  toolCalls,
  approvals,
  approvalSlots,
  allowedTools,
  // A storage adapter treats all rows alike; the domains keep their types.
] as unknown as readonly Collection[]
