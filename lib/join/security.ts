import { createApprovals } from '../approvals/service.ts'
import type { Config } from '../config.ts'
import { createPolicy } from '../security/policy.ts'
import { createToolCallAudit } from '../security/tool-calls.ts'
import { type CountCall, createCallRate } from '../tools/rate.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

/** In the cloud other processes change the policy too. */
const STALE_AFTER_MS = 2_000
const MINUTE_MS = 60_000

export type Security = ReturnType<typeof joinSecurity>

/** What tool calls are judged by, and who is asked about them: policy, audit of calls, approvals. */
export const joinSecurity = ({ audit, limiter }: AuthContext, ports: AuthPorts, config: Config) => {
  const isCloud = config.SERVICE_MODE === 'pro'
  const policy = createPolicy({
    ...ports,
    audit: audit.record,
    staleAfterMs: isCloud ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
  })
  const approvals = createApprovals(ports)
  const toolCalls = createToolCallAudit({ ...ports, policy })
  const countForAll: CountCall = async (userId, calls) =>
    (await limiter.take({ name: 'tools', calls, windowMs: MINUTE_MS }, userId)) === 0
  // Many processes count calls together; one alone needs no storage for that.
  const countCall = isCloud ? countForAll : createCallRate(ports.clock)
  return {
    ...{ policy, approvals, toolCalls },
    /** What tools are opened with. */
    toolSecurity: { policy, approvals, countCall, onToolCall: toolCalls.record },
  }
}
