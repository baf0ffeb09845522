import { createApprovals } from '../approvals/service.ts'
import { createPolicy } from '../security/policy.ts'
import { createToolCallAudit, toolCallWrite } from '../security/tool-calls.ts'
import { toolCallRecord } from '../tools/audit.ts'
import { type CountCall, createCallRate } from '../tools/rate.ts'
import type { CheckOwnConversation } from '../turns/conversations.ts'
import type { People } from './people.ts'
import type { AuthPorts } from './ports.ts'

const MINUTE_MS = 60_000

/** Approvals; the commit that withdraws one also records the call that is not made. */
export const createRecordedApprovals = (
  ports: Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log' | 'masker'>,
) =>
  createApprovals({
    ...ports,
    recordNotMade: ({ id, toolName, params, securityLevel, mode = 'ask', ...owner }, reason) => {
      const outcome = {
        content: `Not made: ${reason}`,
        failed: true,
        decision: 'denied',
        durationMs: 0,
      } as const
      const call = { id, name: toolName, arguments: params }
      const went = { outcome, risk: securityLevel, approvalId: id }
      return toolCallWrite(toolCallRecord(call, { mode, ...owner }, went, ports.masker), ports)
    },
  })

export type Security = ReturnType<typeof createSecurity>

/** The control of tool calls: policy, audit of calls, approvals. */
export const createSecurity = (
  { audit, limiter }: Pick<People, 'audit' | 'limiter'>,
  ports: AuthPorts & { checkOwnConversation: CheckOwnConversation },
) => {
  const isShared = ports.processes === 'many'
  const policy = createPolicy({ ...ports, audit: audit.record, isShared })
  const approvals = createRecordedApprovals(ports)
  const toolCalls = createToolCallAudit({ ...ports, policy })
  const countForAll: CountCall = async (userId, calls) =>
    (await limiter.take({ name: 'tools', calls, windowMs: MINUTE_MS }, userId)) === 0
  // Several processes share one count; a single process needs no storage for it.
  const countCall = isShared ? countForAll : createCallRate(ports.clock)
  return {
    policy,
    approvals,
    toolCalls,
    toolSecurity: { policy, approvals, countCall, onToolCall: toolCalls.record },
  }
}
