import type { Approval } from '../data/approvals.ts'

/** The task or the conversation that calls belong to. */
export type Scope = { conversationId: string } | { taskId: string }

export const isInScope = ({ taskId, conversationId }: Approval, scope: Scope): boolean =>
  'taskId' in scope ? taskId === scope.taskId : conversationId === scope.conversationId
