import { Tag, type Tone } from '../../components/tag.tsx'
import type { ToolCallEntry } from '../../data/security.ts'

type Decision = ToolCallEntry['decision']
type Look = { says: string; tone: Tone; means: string }

/** How a call was decided, in words. */
export const decisions: Readonly<Record<Decision, Look>> = {
  allowed: { says: 'Allowed', tone: 'good', means: 'Mode and policy let it through' },
  approved: { says: 'Approved', tone: 'good', means: 'A person approved it' },
  pending: { says: 'Asked', tone: 'warn', means: 'It waited for the approval of a person' },
  denied: { says: 'Denied', tone: 'bad', means: 'Mode, policy or a person refused it' },
  blocked: { says: 'Blocked', tone: 'bad', means: 'A guard refused it' },
  invalid: { says: 'Invalid', tone: 'bad', means: 'No such tool, or arguments that do not fit' },
}

export const isDecision = (text: string): text is Decision => Object.hasOwn(decisions, text)

export const DecisionTag = ({ decision, guard }: Pick<ToolCallEntry, 'decision' | 'guard'>) => {
  const { says, tone, means } = decisions[decision]
  return (
    <span title={guard === undefined ? means : `The guard ${guard} refused it`} className="inline-flex">
      <Tag tone={tone}>{says}</Tag>
    </span>
  )
}
