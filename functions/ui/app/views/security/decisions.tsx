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

export const DecisionTag = ({ decision, guard }: Pick<ToolCallEntry, 'decision' | 'guard'>) => {
  const { label, tone, meaning } = decisions[decision]
  return (
    <span title={guard === undefined ? meaning : `Blocked by the guard ${guard}`} className="inline-flex">
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}
