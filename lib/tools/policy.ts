import type { SecurityMode } from '../core/security-mode.ts'
import type { Risk } from './tool.ts'

/** `list`: only when the session lists the tool. `ask`: only when a person approves. */
export type Verdict = 'allow' | 'list' | 'ask' | 'deny'

/** Mode × risk. Guards hold besides, in every cell. */
export const policy: Readonly<Record<SecurityMode, Readonly<Record<Risk, Verdict>>>> = {
  deny: { read: 'deny', write: 'deny', execute: 'deny' },
  sandbox: { read: 'allow', write: 'deny', execute: 'deny' },
  allowlist: { read: 'list', write: 'list', execute: 'list' },
  ask: { read: 'allow', write: 'ask', execute: 'ask' },
  full: { read: 'allow', write: 'allow', execute: 'allow' },
}

/** The verdict on a tool of that risk, the allowlist applied: `list` is resolved to `allow` or `deny`. */
export const verdictOn = (
  tool: { name: string; risk: Risk },
  session: { mode: SecurityMode; allowedTools?: readonly string[] },
): Exclude<Verdict, 'list'> => {
  const verdict = policy[session.mode][tool.risk]
  if (verdict !== 'list') return verdict
  return session.allowedTools?.includes(tool.name) ? 'allow' : 'deny'
}
