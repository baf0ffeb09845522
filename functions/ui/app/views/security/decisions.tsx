import { isNotDecided } from '../../../../../lib/core/not-decided.ts'
import { Tag, type Tone } from '../../components/tag.tsx'
import type { ToolCallEntry } from '../../data/security.ts'

type Decision = ToolCallEntry['decision']
type Look = { label: string; tone: Tone; meaning: string }

export const decisions: Readonly<Record<Decision, Look>> = {
  allowed: { label: 'Allowed', tone: 'good', meaning: 'Allowed by mode and policy' },
  approved: { label: 'Approved', tone: 'good', meaning: 'Approved by a person' },
  pending: { label: 'Asked', tone: 'warn', meaning: 'Waited for approval' },
  denied: { label: 'Denied', tone: 'bad', meaning: 'Denied by mode, policy or a person' },
  blocked: { label: 'Blocked', tone: 'bad', meaning: 'Blocked by a guard' },
  invalid: { label: 'Invalid', tone: 'bad', meaning: 'Unknown tool or invalid arguments' },
}

export const isDecision = (text: string): text is Decision => Object.hasOwn(decisions, text)

const expired: Look = { label: 'Expired', tone: 'warn', meaning: 'Not decided in time, so it did not run' }

type Decided = Pick<ToolCallEntry, 'decision' | 'guard' | 'result'>

/** An expiry is a denial whose result says so. */
export const isExpired = ({ decision, result }: Pick<Decided, 'decision' | 'result'>): boolean =>
  decision === 'denied' && isNotDecided(result)

export const decisionMeaning = (entry: Decided): string => {
  if (entry.guard !== undefined) return `Blocked by the guard ${entry.guard}`
  return (isExpired(entry) ? expired : decisions[entry.decision]).meaning
}

export const DecisionTag = (entry: Decided) => {
  const { label, tone } = isExpired(entry) ? expired : decisions[entry.decision]
  return (
    <span title={decisionMeaning(entry)} className="inline-flex">
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}
