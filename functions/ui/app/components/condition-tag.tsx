import { type Condition, conditions } from './agent-condition.ts'
import { Tag } from './tag.tsx'

export const ConditionTag = ({ condition }: { condition: Condition | undefined }) =>
  condition && <Tag tone={conditions[condition].tone}>{conditions[condition].label}</Tag>
