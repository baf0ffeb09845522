import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import type { Verdict } from '../../../../../lib/tools/policy.ts'
import type { Tone } from '../../components/tag.tsx'
import type { Policy } from '../../data/security.ts'

export const modes: Readonly<Record<SecurityMode, string>> = {
  deny: 'No tools.',
  sandbox: 'Read only: no writes, programs or web requests.',
  allowlist: 'Only tools on the allowlist, regardless of risk.',
  ask: 'Reads freely. Writes, programs and web requests wait for approval.',
  full: 'All tools, without asking.',
}

export const verdicts: Readonly<Record<Verdict, { label: string; tone: Tone; meaning: string }>> = {
  allow: { label: 'Allowed', tone: 'good', meaning: 'The call runs' },
  list: { label: 'If listed', tone: 'plain', meaning: 'The call runs if the tool is on the allowlist' },
  ask: { label: 'Asks', tone: 'warn', meaning: 'The call waits for approval' },
  deny: { label: 'Denied', tone: 'bad', meaning: 'The call does not run, and the model is informed' },
}

export const fields: Readonly<Record<keyof Policy, string>> = {
  defaultMode: 'Default mode',
  allowedTools: 'Allowlist',
  blockedTools: 'Blocked',
  requireApprovalFor: 'Requires approval',
  auditAll: 'Record every call',
  toolRateLimitPerMinute: 'Calls per minute and user',
}

const listed = (from: readonly string[], to: readonly string[]) => [
  ...to.filter((name) => !from.includes(name)).map((name) => `+${name}`),
  ...from.filter((name) => !to.includes(name)).map((name) => `−${name}`),
]

const valueText = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))

/** One line per field: `Blocked: +git −web_fetch`. */
export const changeLines = (before: Policy, change: Partial<Policy>): string[] =>
  (Object.keys(change) as (keyof Policy)[]).flatMap((name) => {
    const [from, to] = [before[name], change[name]]
    if (Array.isArray(from) && Array.isArray(to)) {
      const names = listed(from, to)
      return names.length === 0 ? [] : [`${fields[name]}: ${names.join(' ')}`]
    }
    return from === to ? [] : [`${fields[name]}: ${valueText(from)} → ${valueText(to)}`]
  })
