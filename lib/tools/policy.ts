import type { SecurityMode } from '../core/security-mode.ts'
import type { ToolSession } from '../ports/tool.ts'
import type { Policy } from '../security/schema.ts'
import type { Risk } from './schema.ts'

/** `list`: allowed if the allowlist names the tool. `ask`: allowed if the policy allows the tool, or a person the call. */
export type Verdict = 'allow' | 'list' | 'ask' | 'deny'

/** Mode × risk; guards apply in addition. Mode `sandbox` denies the web: a request carries to others what a model read. */
export const modePolicy: Readonly<Record<SecurityMode, Readonly<Record<Risk, Verdict>>>> = {
  deny: { read: 'deny', network: 'deny', write: 'deny', execute: 'deny' },
  sandbox: { read: 'allow', network: 'deny', write: 'deny', execute: 'deny' },
  allowlist: { read: 'list', network: 'list', write: 'list', execute: 'list' },
  ask: { read: 'allow', network: 'ask', write: 'ask', execute: 'ask' },
  full: { read: 'allow', network: 'allow', write: 'allow', execute: 'allow' },
}

type Ruling = { verdict: 'allow' | 'ask' } | { verdict: 'deny'; reason: string }

/**
 * The ruling on a tool: first the policy's `blockedTools`, then, unless the tool is in every mode, mode × risk with the allowlist (the session's own list,
 * else the policy's), then `requireApprovalFor`, which applies to tools that the mode allows, in attended sessions.
 */
export const rulingOn = (
  tool: { name: string; risk: Risk; isInEveryMode?: true },
  session: Pick<ToolSession, 'mode' | 'allowedTools' | 'unattended'>,
  policy: Policy,
): Ruling => {
  const isIn = (names: readonly string[]) => names.includes(tool.name)
  if (isIn(policy.blockedTools))
    return { verdict: 'deny', reason: `the policy of this installation blocks ${tool.name}` }
  if (tool.isInEveryMode) return { verdict: 'allow' }
  const verdict = modePolicy[session.mode][tool.risk]
  const isListed = isIn(session.allowedTools ?? policy.allowedTools)
  if (verdict === 'deny' || (verdict === 'list' && !isListed))
    return { verdict: 'deny', reason: `security mode ${session.mode} does not allow it` }
  const mustAsk = !session.unattended && isIn(policy.requireApprovalFor)
  return { verdict: (verdict === 'ask' && !isIn(policy.allowedTools)) || mustAsk ? 'ask' : 'allow' }
}
