import { collection } from '../core/collection.ts'
import type { Task } from '../tasks/schema.ts'
import type { WorkflowName } from './workflows/catalog.ts'

/**
 * A request and the task that it is for. The row is stored before the task, under an id that follows from the task's: a
 * row whose task is not there is a request whose caller never had an answer.
 */
export type GatewayRequest = {
  id: string
  taskId: string
  userId: string
  tokenId: string
  workflow: WorkflowName
  createdAt: string
  notifyUrl?: string
  /** The secret for its notice, sealed as deliveries have it. */
  secret?: string
  /** There while somebody is to be notified and the task is not known to have ended. */
  openSince?: string
}

export const gatewayRequests = collection<GatewayRequest>({
  name: 'gatewayRequests',
  key: 'id',
  indexes: { open: { by: 'openSince' } },
})

/** What an `Idempotency-Key` was used for, kept for a day. `status` is what the first answer said of the task. */
export type GatewayKey = {
  key: string
  bodyHash: string
  taskId: string
  status?: Task['status']
  expiresAt: number
}

export const gatewayKeys = collection<GatewayKey>({
  name: 'gatewayKeys',
  key: 'key',
  indexes: {},
  expires: 'expiresAt',
})

const TASK = 'task_'
const REQUEST = 'gw_'

/** The id of the request that a task would be for. */
export const requestIdOf = (taskId: string): string => REQUEST + taskId.slice(TASK.length)
