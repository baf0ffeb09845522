import type { Verdict } from '../../../../../lib/tools/policy.ts'
import type { Tone } from '../../components/tag.tsx'
import type { Policy } from '../../data/security.ts'
import { type ToolChoice, toolChoice } from './choices.ts'

export const verdicts: Readonly<Record<Verdict, { label: string; tone: Tone; meaning: string }>> = {
  allow: { label: 'Allowed', tone: 'good', meaning: 'The call runs' },
  list: { label: 'If allowed', tone: 'plain', meaning: 'The call runs if the tool is set to Allow' },
  ask: { label: 'Asks', tone: 'warn', meaning: 'The call waits for approval' },
  deny: { label: 'Denied', tone: 'bad', meaning: 'The call does not run, and the agent is informed' },
}

export const choices: Readonly<Record<ToolChoice, { label: string; meaning: string }>> = {
  follow: { label: 'Follow mode', meaning: 'The mode of the conversation or task decides.' },
  allow: { label: 'Allow', meaning: 'Runs without asking in the modes allowlist and ask.' },
  ask: {
    label: 'Ask',
    meaning:
      'Each call needs approval in every mode that permits the tool, except in chat turns with all tools.',
  },
  block: { label: 'Block', meaning: 'Denied in every mode, including full.' },
}

export const fields = {
  auditAll: 'Record every call',
  toolRateLimitPerMinute: 'Calls per minute and user',
} as const

const valueText = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))

/** One line for each tool and field that changes: `git: Follow mode → Block`. */
export const changeLines = (before: Policy, change: Partial<Policy>): string[] => {
  const after = { ...before, ...change }
  const lists = [before.allowedTools, before.blockedTools, before.requireApprovalFor]
  const changed = [after.allowedTools, after.blockedTools, after.requireApprovalFor]
  const tools = [...new Set([...lists, ...changed].flat())].flatMap((name) => {
    const [from, to] = [toolChoice(before, name), toolChoice(after, name)]
    return from === to ? [] : [`${name}: ${choices[from].label} → ${choices[to].label}`]
  })
  const values = (Object.keys(fields) as (keyof typeof fields)[]).flatMap((name) =>
    before[name] === after[name]
      ? []
      : [`${fields[name]}: ${valueText(before[name])} → ${valueText(after[name])}`],
  )
  return [...tools, ...values]
}
