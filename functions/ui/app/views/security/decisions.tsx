import { Tag, type Tone } from '../../components/tag.tsx'
import type { ToolCallEntry } from '../../data/security.ts'

type Decision = ToolCallEntry['decision']
type Look = { label: string; tone: Tone; meaning: string }

export const decisions: Readonly<Record<Decision, Look>> = {
  allowed: { label: 'Allowed', tone: 'good', meaning: 'Mode and policy let it through' },
  approved: { label: 'Approved', tone: 'good', meaning: 'A person approved it' },
  pending: { label: 'Asked', tone: 'warn', meaning: 'It waited for the approval of a person' },
  denied: { label: 'Denied', tone: 'bad', meaning: 'Mode, policy or a person refused it' },
  blocked: { label: 'Blocked', tone: 'bad', meaning: 'A guard refused it' },
  invalid: { label: 'Invalid', tone: 'bad', meaning: 'No such tool, or arguments that do not fit' },
}

export const isDecision = (text: string): text is Decision => Object.hasOwn(decisions, text)

export const DecisionTag = ({ decision, guard }: Pick<ToolCallEntry, 'decision' | 'guard'>) => {
  const { label, tone, meaning } = decisions[decision]
  return (
    <span title={guard === undefined ? meaning : `The guard ${guard} refused it`} className="inline-flex">
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}
