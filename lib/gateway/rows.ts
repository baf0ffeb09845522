import { collection } from '../core/collection.ts'
import type { Task } from '../tasks/schema.ts'
import type { WorkflowName } from './workflows.ts'

/** A request. It is stored together with its task; its id derives from the task's id. */
export type GatewayRequest = {
  id: string
  taskId: string
  userId: string
  tokenId: string
  workflow: WorkflowName
  createdAt: string
  notifyUrl?: string
  /** The secret that signs its delivery, sealed for deliveries. */
  secret?: string
}

export const gatewayRequests = collection<GatewayRequest>({
  name: 'gatewayRequests',
  key: 'id',
  indexes: {},
})

/** A used `Idempotency-Key`, stored for a day. `status` is the task's status in the first answer. */
export type GatewayKey = {
  key: string
  bodyHash: string
  taskId: string
  status: Task['status']
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

export const toRequestId = (taskId: string): string => REQUEST + taskId.slice(TASK.length)
