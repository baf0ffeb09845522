import { type Change, collection, type LiveDraft, type Message } from '../core/collection.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { ulidIn } from '../core/ulid.ts'
import { announcement } from '../notifications/schema.ts'
import { type AllowedTool, type Approval, ApprovalSchema, type TurnMessage } from './schema.ts'

/** The value of `pendingTask` and `ofTask` of every row that belongs to a task: admins see the rows of all tasks. */
export const OF_A_TASK = 'task'

/**
 * An approval. `binding` identifies the call that it is for, whose mode is `mode`; `usedAt` is set once a call has
 * used it up. It is indexed by `scope`, its conversation or task, and while it is pending by `pendingOf`, its user,
 * and by `pendingTask` if a task waits for it. `dueAt` is its expiry, if it has one, and after its end the time of
 * its removal: it has no `expires`, since storage must not remove one that is waited for.
 */
export type ApprovalRow = Approval & {
  scope: string
  binding: string
  mode: SecurityMode
  usedAt?: string
  /** The request that used it up, where that may be repeated. */
  usedBy?: string
  pendingOf?: string
  pendingTask?: typeof OF_A_TASK
  dueAt?: string
  /** Its run looks for the decision itself. */
  awaited?: true
}

const LONGEST_TITLE = 300

const approvalAnnouncement = (approval: Omit<ApprovalRow, 'params'>): Message => {
  const { id, taskId, userId, title, requestedAt, expiresAt } = approval
  return announcement({
    id: `ntf_${ulidIn(id)}`,
    type: 'approval_requested',
    taskId,
    createdAt: requestedAt,
    audience: userId,
    title: cutText(`Approval needed: ${title}`, LONGEST_TITLE),
    message: `A task is waiting for your decision on this call${expiresAt === undefined ? '' : ` until ${expiresAt}, and then fails`}`,
  })
}

/** Sends a decision, or an expiry, to the run that is stored until then. An approval of a task is announced. */
const approvalMessages = ({ before, after }: Change<Omit<ApprovalRow, 'params'>>): Message[] => {
  if (before === undefined && after?.taskId !== undefined) return [approvalAnnouncement(after)]
  if (before?.status !== 'pending' || after === undefined || after.status === 'pending') return []
  const { id, conversationId, taskId, userId, awaited } = after
  if (awaited) return []
  const body: TurnMessage = { approvalId: id, ...definedFields({ conversationId, taskId }) }
  return [{ to: 'turns', id, body, group: userId }]
}

/** All users see that a task waits; only its user sees an approval of a conversation. */
const approvalEvents = ({ before, after }: Change<Omit<ApprovalRow, 'params'>>): LiveDraft[] => {
  if (after === undefined || before?.status === after.status) return []
  const { id, status, taskId, conversationId, userId } = after
  const type = before ? 'approval.updated' : 'approval.created'
  return taskId === undefined
    ? [{ type, data: { id, status, conversationId }, audience: userId }]
    : [{ type, data: { id, status, taskId } }]
}

export const approvals = collection<ApprovalRow, 'params'>({
  name: 'approvals',
  key: 'id',
  indexes: {
    pendingOf: { within: 'pendingOf', by: 'requestedAt' },
    pendingTasks: { within: 'pendingTask', by: 'requestedAt' },
    due: { by: 'dueAt' },
    ofScope: { within: 'scope', by: 'requestedAt' },
  },
  detail: ['params'],
  placeholders: { params: {} },
  summary: [
    ...ApprovalSchema.omit({ params: true, truncated: true }).keyof().options,
    ...(['scope', 'binding', 'mode', 'usedAt', 'pendingOf', 'pendingTask', 'dueAt', 'awaited'] as const),
  ],
  sends: approvalMessages,
  publishes: approvalEvents,
})

/** The approval that is valid for a binding until it is used up: there is at most one. */
export type ApprovalSlot = { binding: string; approvalId: string }
export const approvalSlots = collection<ApprovalSlot>({ name: 'approvalSlots', key: 'binding', indexes: {} })

/** A tool that is always allowed in a conversation or task of a user, by the approval `approvalId`. */
export type AllowedToolRow = Omit<AllowedTool, 'id' | 'expiresAt'> & {
  scope: string
  approvalId: string
  ofTask?: typeof OF_A_TASK
  expiresAt: number
}
export const allowedTools = collection<AllowedToolRow>({
  name: 'allowedTools',
  within: 'scope',
  key: 'toolName',
  indexes: {
    ofScope: { within: 'scope', by: 'toolName' },
    ofUser: { within: 'userId', by: 'allowedAt' },
    ofTasks: { within: 'ofTask', by: 'allowedAt' },
  },
  expires: 'expiresAt',
})
