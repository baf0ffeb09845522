import type { SecurityMode } from '../core/security-mode.ts'
import type { Risk } from './schema.ts'

/** A call that needs a person's approval, bound to these exact arguments. */
export type ApprovalRequest = {
  tool: string
  risk: Risk
  arguments: Readonly<Record<string, unknown>>
  title: string
  mode: SecurityMode
  userId: string
  taskId?: string
  conversationId?: string
}

/** `approvalId` is absent where the tool was allowed for the whole session. */
export type ApprovalAnswer =
  | { state: 'approved'; approvalId?: string }
  | { state: 'denied'; approvalId?: string; reason: string }
  | { state: 'pending'; approvalId: string }

/** Asks a person. An answer is bound to tool, exact arguments, user, and conversation or task. */
export interface Approvals {
  /** How the approval stands, asking for it where nothing is asked yet. Uses nothing up. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** The same for a call that is made now: an approval, and a denial, is used up by this. */
  use(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** Whether the approval is decided, or has expired. */
  isDecided(approvalId: string): Promise<boolean>
}

const denied: ApprovalAnswer = {
  state: 'denied',
  reason: 'it needs the approval of a person, and there is no person to ask here',
}

/** Where no person can be asked. */
export const withoutApprovals: Approvals = {
  ask: async () => denied,
  use: async () => denied,
  isDecided: async () => true,
}
