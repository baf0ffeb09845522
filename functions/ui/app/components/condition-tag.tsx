import { type Condition, conditions } from './agent-condition.ts'
import { Tag } from './tag.tsx'

/** How an agent is; nothing while that is not known. */
export const ConditionTag = ({ condition }: { condition: Condition | undefined }) =>
  condition && <Tag tone={conditions[condition].tone}>{conditions[condition].label}</Tag>
