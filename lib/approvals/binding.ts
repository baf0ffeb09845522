import { createHash } from 'node:crypto'
import { canonicalJson } from '../core/canonical-json.ts'
import type { ApprovalRequest } from './schema.ts'

/** The session that a call is made in: a conversation or a task, of one user. */
export const scopeOf = ({
  userId,
  conversationId,
  taskId,
}: Pick<ApprovalRequest, 'userId' | 'conversationId' | 'taskId'>): string => {
  if (taskId !== undefined) return `task:${taskId}:${userId}`
  return conversationId === undefined ? `user:${userId}` : `conversation:${conversationId}:${userId}`
}

/**
 * What an approval is bound to: session, tool and the exact arguments, as a hash of their canonical JSON. Throws TypeError
 * for arguments that no JSON can carry.
 */
export const bindingOf = (request: ApprovalRequest): string => {
  // The arguments come out of a schema, which may leave members that are undefined.
  const given: unknown = JSON.parse(JSON.stringify(request.arguments))
  const text = canonicalJson([scopeOf(request), request.tool, given])
  return createHash('sha256').update(text).digest('base64url')
}
