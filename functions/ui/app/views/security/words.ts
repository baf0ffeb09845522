import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import type { Verdict } from '../../../../../lib/tools/policy.ts'
import type { Tone } from '../../components/tag.tsx'
import type { Policy } from '../../data/security.ts'

export const modes: Readonly<Record<SecurityMode, string>> = {
  deny: 'No tool is used at all.',
  sandbox: 'The model reads. Nothing is written, run or asked of the web.',
  allowlist: 'Only the tools of the allowlist are used, whatever they do.',
  ask: 'The model reads freely. What writes, runs a program or uses the web waits for a person.',
  full: 'Every tool is used without asking.',
}

export const verdicts: Readonly<Record<Verdict, { label: string; tone: Tone; meaning: string }>> = {
  allow: { label: 'Allowed', tone: 'good', meaning: 'The call is made' },
  list: { label: 'If listed', tone: 'plain', meaning: 'The call is made when the allowlist names the tool' },
  ask: { label: 'Asks', tone: 'warn', meaning: 'The call waits until a person approves it' },
  deny: { label: 'Denied', tone: 'bad', meaning: 'The call is not made, and the model is told so' },
}

export const fields: Readonly<Record<keyof Policy, string>> = {
  defaultMode: 'Default mode',
  allowedTools: 'Allowlist',
  blockedTools: 'Blocked',
  requireApprovalFor: 'Asks first',
  auditAll: 'Record every call',
  toolRateLimitPerMinute: 'Calls a minute and user',
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
