import { LONGEST_APPROVAL_MS } from '../../core/approval-expiry.ts'
import { isSecurityMode } from '../../core/security-mode.ts'
import { taskFailure } from '../../core/task-failure.ts'
import type { AgentTask } from '../../ports/agent.ts'

/** A value of the task's metadata; one that is not valid fails the task without another attempt. */
const metadataValue = <T>(
  { metadata }: AgentTask,
  name: string,
  isValid: (value: unknown) => value is T,
  failure: () => Error,
): T | undefined => {
  const value = metadata?.[name]
  if (value === undefined || value === null) return undefined
  if (isValid(value)) return value
  throw failure()
}

const LEAST_BUDGET = 1_000
const isBudget = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= LEAST_BUDGET
const isTtl = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_APPROVAL_MS

/** What a task sets in its metadata: its security mode, its token budget, and how long its approvals wait. */
export const taskSettings = (task: AgentTask) => ({
  maxTokens: metadataValue(task, 'maxBudget', isBudget, () => {
    const what = `metadata.maxBudget must be a whole number of tokens, at least ${LEAST_BUDGET}`
    return taskFailure('invalid', 'max_budget_invalid', what, false)
  }),
  mode: metadataValue(task, 'securityMode', isSecurityMode, () => {
    const what = 'metadata.securityMode must be deny, sandbox, allowlist, ask or full'
    return taskFailure('invalid', 'security_mode_invalid', what, false)
  }),
  approvalTtlMs: metadataValue(task, 'approvalTtlMs', isTtl, () => {
    const what = `metadata.approvalTtlMs must be whole milliseconds, 0 (no end) to ${LONGEST_APPROVAL_MS}`
    return taskFailure('invalid', 'approval_ttl_invalid', what, false)
  }),
})
