import { invites, registrations, rosters, users } from './accounts/rows.ts'
import { auditRows } from './audit/rows.ts'
import { sessions } from './auth/rows.ts'
import type { Collection } from './core/collection.ts'
import { deliveryRows } from './deliveries/rows.ts'
import { codeRows, identityRows, pairings, placeRows } from './devices/rows.ts'
import { gatewayKeys, gatewayRequests } from './gateway/rows.ts'
import { callsRows } from './limits/rows.ts'
import { experiences, memoryFiles, memorySessions, memoryState } from './memory/rows.ts'
import { announcements, notifications, readMarks, reads } from './notifications/rows.ts'
import { beginnings, linkedAccounts } from './oauth/rows.ts'
import { deadLetters } from './queue/rows.ts'
import { settingsRows } from './settings/rows.ts'
import { createReplays, taskEvents, tasks } from './tasks/rows.ts'
import { tokenRows } from './tokens/rows.ts'
import { inboundClaims, inboundEvents } from './webhooks/rows.ts'
import { exits } from './worker/last-exit.ts'

/** Every collection of the service; the storage adapters derive their tables from this list. */
export const collections = [
  tasks,
  taskEvents,
  createReplays,
  deadLetters,
  announcements,
  notifications,
  reads,
  readMarks,
  exits,
  settingsRows,
  sessions,
  auditRows,
  beginnings,
  linkedAccounts,
  registrations,
  users,
  rosters,
  invites,
  callsRows,
  identityRows,
  pairings,
  codeRows,
  placeRows,
  tokenRows,
  gatewayRequests,
  gatewayKeys,
  deliveryRows,
  inboundEvents,
  inboundClaims,
  memoryFiles,
  memoryState,
  memorySessions,
  experiences,
  // A storage adapter treats all rows alike; the domains keep their types.
] as unknown as readonly Collection[]
