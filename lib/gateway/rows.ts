import { collection } from '../core/collection.ts'
import type { Task } from '../tasks/schema.ts'
import type { WorkflowName } from './workflows.ts'

/** A request. It is stored together with its task, under an id that follows from the task's. */
export type GatewayRequest = {
  id: string
  taskId: string
  userId: string
  tokenId: string
  workflow: WorkflowName
  createdAt: string
  notifyUrl?: string
  /** The secret that signs its delivery, sealed as deliveries have it. */
  secret?: string
  /** Set by the release before, until the end of the task was sent; see `adoptOpenRequests`. */
  openSince?: string
}

export const gatewayRequests = collection<GatewayRequest>({
  name: 'gatewayRequests',
  key: 'id',
  indexes: { open: { by: 'openSince' } },
})

/** The use of an `Idempotency-Key`, kept for a day. `status` is the one that the first answer gave of the task. */
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
