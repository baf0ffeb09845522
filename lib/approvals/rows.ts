import { type Change, collection, type Message } from '../core/collection.ts'
import type { Approval } from './schema.ts'

/** The value of `pendingTask` of every approval that a task waits for. */
export const OF_A_TASK = 'task'

/**
 * An approval. `binding` is what it is bound to, `usedAt` is there once a call has used it up. While it is pending it is
 * found by `pendingOf`, its user, by `pendingTask` if a task waits for it, and by `dueAt`, when it expires.
 */
export type ApprovalRow = Approval & {
  scope: string
  binding: string
  usedAt?: string
  pendingOf?: string
  pendingTask?: typeof OF_A_TASK
  dueAt?: string
  /** Epoch milliseconds after which the row is dropped. */
  removeAt: number
}

/** A decision, an expiry included, is told to what waits for it. */
const sendsOf = ({ before, after }: Change<Omit<ApprovalRow, 'params'>>): Message[] => {
  if (before?.status !== 'pending' || after === undefined || after.status === 'pending') return []
  const { id, conversationId, taskId, userId } = after
  const body = {
    approvalId: id,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(taskId === undefined ? {} : { taskId }),
  }
  return [{ to: 'turns', id, body, group: userId }]
}

export const approvals = collection<ApprovalRow, 'params'>({
  name: 'approvals',
  key: 'id',
  indexes: {
    pendingOf: { within: 'pendingOf', by: 'requestedAt' },
    pendingTasks: { within: 'pendingTask', by: 'requestedAt' },
    due: { by: 'dueAt' },
  },
  detail: ['params'],
  summary: [
    ...(['id', 'conversationId', 'taskId', 'userId', 'toolName', 'title', 'securityLevel'] as const),
    ...(['requestedAt', 'expiresAt', 'status', 'decision', 'decidedAt', 'decidedBy'] as const),
    ...(['scope', 'binding', 'usedAt', 'pendingOf', 'pendingTask', 'dueAt', 'removeAt'] as const),
  ],
  expires: 'removeAt',
  sends: sendsOf,
})

/** The approval that holds for a binding until it is used up: there is at most one. */
export type ApprovalSlot = { binding: string; approvalId: string; expiresAt: number }
export const approvalSlots = collection<ApprovalSlot>({
  name: 'approvalSlots',
  key: 'binding',
  indexes: {},
  expires: 'expiresAt',
})

/** A tool that was allowed for the whole session: that conversation or task, of that user. */
export type AllowedTool = { scope: string; toolName: string; approvalId: string; expiresAt: number }
export const allowedTools = collection<AllowedTool>({
  name: 'allowedTools',
  within: 'scope',
  key: 'toolName',
  indexes: { ofScope: { within: 'scope', by: 'toolName' } },
  expires: 'expiresAt',
})
