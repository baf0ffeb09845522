import type { Risk } from './tool.ts'

/** A call that waits for a person, bound to these exact arguments. */
export type ApprovalRequest = {
  tool: string
  risk: Risk
  arguments: Readonly<Record<string, unknown>>
  title: string
  userId: string
  taskId?: string
  conversationId?: string
}
export type ApprovalAnswer = { approved: true } | { approved: false; reason: string }

/** Asks a person and waits for the answer; an approval that expires is a denial. Throws the signal's reason once aborted. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>

/** The answer where nobody can be asked. */
export const nobodyToAsk: Approve = async () => ({
  approved: false,
  reason: 'it needs the approval of a person, and nobody can be asked here',
})
